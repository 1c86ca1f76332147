#include "checkpoint/settings.hpp"

namespace lockstep::checkpoint {

void Settings::declare(config::Schema& schema) {
  schema
      .add("checkpoint.every_steps", every_steps,
           "Steps between checkpoints; 0: only at the end and at stops.")
      .at_least(0)
      .may_change();
  schema
      .add("checkpoint.every_minutes", every_minutes,
           "Minutes between checkpoints, by rank 0's clock; 0: off.")
      .at_least(0)
      .may_change();
  schema.add("checkpoint.keep", keep, "Committed checkpoints that stay when a newer one is there.")
      .at_least(1)
      .may_change();
  schema.add("checkpoint.at_end", at_end, "Commit a checkpoint when the run is finished, too.")
      .may_change();
}

}  // namespace lockstep::checkpoint
