-- title: Sampled counters
-- like: nsys recipe gpu_metric_util_sum
-- needs: counters
-- Every counter that the recorder sampled, by device.
SELECT device, name, unit, count(*) AS samples, avg(value) AS mean, median(value) AS median, min(value) AS min, max(value) AS max
FROM counters
GROUP BY device, name, unit
ORDER BY device, name, unit
