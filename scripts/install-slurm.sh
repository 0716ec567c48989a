#!/usr/bin/env bash
# The daemons and programs of Slurm for the tests, by their Debian names. Nothing is started or configured here.
set -euo pipefail
for program in slurmctld slurmd sbatch munged; do
  command -v "$program" > /dev/null || missing=1
done
[ -n "${missing:-}" ] || exit 0
install() { DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends slurmctld slurmd slurm-client munge > /dev/null; }
install || { apt-get update -qq && install; }
