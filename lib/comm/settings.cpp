#include "comm/options.hpp"

namespace lockstep::comm {

void Settings::declare(config::Schema& schema) {
  schema.add_choice<Backend>(
      "comm.backend", backend,
      {{"auto", Backend::automatic}, {"mpi", Backend::mpi}, {"nccl", Backend::nccl}},
      "What carries gradients: nccl between GPUs, mpi between hosts; auto takes the best that was "
      "built.");
  schema.add_choice<Overlap>(
      "comm.overlap", overlap,
      {{"auto", Overlap::automatic}, {"inline", Overlap::in_line}, {"thread", Overlap::thread}},
      "Reduce a bucket in the backward pass itself (inline) or beside it by a thread; auto: inline "
      "where every core has a rank.");
  schema.add("comm.bucket_mib", bucket_mib, "Gradients that are reduced together, in MiB.")
      .above(0);
  schema
      .add("comm.piece_kib", piece_kib,
           "MPI: largest single all-reduce in KiB, 0 for one call whatever the size; auto: "
           "2048 where all ranks are on one node, else 0.")
      .at_least(0);
  schema
      .add("comm.patience_s", patience_s,
           "Give up on a rank that does not come after this many seconds.")
      .above(0)
      .may_change();
}

}  // namespace lockstep::comm
