// The words of a verdict for XLA programs (JAX, TensorFlow), whose users write no PyTorch, and the name of a device
// that is no GPU. Called by SpeakVendor() (vendor_words.h). [MT] Pure functions.
#pragma once

#include <string_view>

#include "rules/finding.h"

namespace warpscope::rules {

// Advice that only PyTorch or, on a TPU, only CUDA has is left out; the device is called a TPU where it is one.
void SpeakXla(Verdict& verdict);

// "GPU" becomes `device` ("NPU", "TPU") in every sentence of ours.
void CallDevice(std::string_view device, Verdict& verdict);

}  // namespace warpscope::rules
