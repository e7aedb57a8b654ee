-- title: Kernels with their annotations
-- like: HTA get_gpu_kernels_with_user_annotations
-- needs: kernels annotations
-- Every kernel in time order, with the innermost annotation around its launch.
SELECT rank, device, stream, step, start_ns, dur_ns, annotation, name
FROM kernels
ORDER BY start_ns, id
