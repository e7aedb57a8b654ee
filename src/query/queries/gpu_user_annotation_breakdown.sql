-- title: Device time by annotation
-- like: HTA get_gpu_user_annotation_breakdown
-- needs: annotation_gpu
-- Device items by the annotation in which they were issued; inside nested annotations they count in each.
SELECT annotations.rank, annotations.name AS annotation, count(DISTINCT annotations.id) AS instances, count(*) AS gpu_items, sum(gpu.dur_ns)::BIGINT AS gpu_ns,
       round(avg(gpu.dur_ns), 1) AS mean_ns, min(gpu.dur_ns) AS min_ns, max(gpu.dur_ns) AS max_ns
FROM annotation_gpu
JOIN annotations ON annotations.id = annotation_gpu.annotation_id
JOIN gpu ON gpu.id = annotation_gpu.gpu_id
GROUP BY annotations.rank, annotations.name
ORDER BY gpu_ns DESC, annotations.rank, annotation
