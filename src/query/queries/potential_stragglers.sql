-- title: Ranks for which others wait
-- like: HTA get_potential_stragglers; nsys recipe nccl_straggler
-- alias: nccl_straggler
-- needs: collectives
-- Collectives are matched over ranks by group, name and number; the rank with the shortest one arrived last, and the
-- others waited for it as long as theirs were longer. It takes the recordings of several ranks.
WITH
numbered AS (
  SELECT rank, name, group_name, dur_ns,
         coalesce(sequence, row_number() OVER (PARTITION BY rank, name, group_name ORDER BY start_ns, gpu_id)) AS number
  FROM collectives
),
matched AS (
  SELECT name, group_name, number, count(DISTINCT rank) AS ranks, min(dur_ns) AS transfer_ns, max(dur_ns) - min(dur_ns) AS skew_ns,
         arg_min(rank, dur_ns) AS last_rank
  FROM numbered
  GROUP BY name, group_name, number
  HAVING count(DISTINCT rank) > 1
)
SELECT last_rank AS rank, count(*) AS times_last, (SELECT count(*) FROM matched) AS matched, sum(skew_ns)::BIGINT AS caused_wait_ns,
       max(skew_ns) AS longest_wait_ns
FROM matched
GROUP BY last_rank
ORDER BY caused_wait_ns DESC, rank
