// Quantiles of the normal and of Student's distribution. [MT] Pure functions.
#pragma once

namespace warpscope::analysis {

// The value that a standard normal variable stays below with probability `p`, 0 < p < 1 (clamped to 1e-12 of the ends).
double NormalQuantile(double p);

// The same of Student's distribution with `freedom` > 0 degrees of freedom: by bisection of its distribution, which is
// the regularized incomplete beta function (Abramowitz and Stegun 26.7.1; its continued fraction: 26.5.8).
double StudentQuantile(double p, double freedom);

// The same of the chi squared distribution: by Wilson and Hilferty's cube root (1931), within 1 % for p = 0.95.
double ChiSquaredQuantile(double p, double freedom);

// Chance to draw at least `hits` of `marked` among `total` in `draws` without putting back (Fisher's exact test,
// one-sided). 1 for hits 0.
double AtLeastDrawn(unsigned hits, unsigned draws, unsigned marked, unsigned total);

}  // namespace warpscope::analysis
