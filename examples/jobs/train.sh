# sh train.sh SEED STEPS: stands in for a training that is too large for its GPU at first.
seed=$1 steps=${AUTORESEARCH_STEPS:-$2}
for step in $(seq 1 "$steps"); do
  echo "step $step reward=0.$step"
  if [ "$step" -gt 10 ] && [ "${BATCH:-32}" -gt 8 ]; then
    echo 'torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB' >&2
    exit 1
  fi
  sleep 0.01
done
[ -n "${AUTORESEARCH_SMOKE:-}" ] && exit 0
mkdir -p results
echo "{\"seed\": $seed, \"steps\": $steps, \"batch\": ${BATCH:-32}}" > "results/$seed.json"
