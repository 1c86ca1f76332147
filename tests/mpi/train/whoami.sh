#!/usr/bin/env bash
# whoami.sh PROGRAM MPIRUN: what each rank derived, and the guard against N processes that are each rank 0 of 1.
# shellcheck source=tests/support/train.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../support/train.sh"

alone 0 --whoami
says "^launcher +alone"
says "^mpi +rank 0 of 1, 1 rank\(s\) on this node"
says_once "all 1 rank\(s\) agree"

train 0 2 --whoami
says "^launcher +mpirun +\(OMPI_COMM_WORLD_SIZE|^launcher +mpirun"
for rank in 0 1; do
  says_once "^rank +$rank +\(OMPI_COMM_WORLD_RANK\)"
  says_once "^mpi +rank $rank of 2, 2 rank\(s\) on this node"
done
says_once "all 2 rank\(s\) agree"
pass "whoami alone and on two ranks"

# srun started four, but MPI did not reach its PMIx. (With SLURM_NODELIST, or SLURM_JOBID and SLURM_STEP_ID and
# SLURM_NODELIST, Open MPI's own MPI_Init gives up first.)
slurm=(env SLURM_JOB_ID=1 SLURM_STEP_ID=0 SLURM_NTASKS=4 SLURM_STEP_NUM_TASKS=4)
for rank in 0 2; do
  start_command "${slurm[@]}" SLURM_PROCID=$rank "$program" "$config"
  finish
  expect_code 69
  says "rank 0 of 1.* srun started 4 \(this is $rank of them"
  says "srun --mpi=pmix"
  [ ! -e "$work/runs" ] || fail "something was written before the guard"
done
start_command "${slurm[@]}" SLURM_PROCID=2 "$program" --whoami
finish
expect_code 69
says "^rank +2 +\(SLURM_PROCID\)"
says "^size +4 +\(SLURM_STEP_NUM_TASKS\)"
pass "singletons are refused"
