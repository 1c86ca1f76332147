#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::job {

/// Slurm's compact host lists, as in SLURM_JOB_NODELIST: "a,b[001-003,7],c[1-2]x[0-3]"
/// (scontrol(1), show hostnames). Order kept, widths kept, linear in input and output; works where
/// scontrol is absent. What cannot be read throws Error{environment} that names `variable` and the
/// text.
[[nodiscard]] std::vector<std::string> expand_node_list(std::string_view text,
                                                        std::string_view variable);

/// "4(x2),3" -> {4, 4, 3}: SLURM_TASKS_PER_NODE and its kin.
[[nodiscard]] std::vector<std::int64_t> expand_counts(std::string_view text,
                                                      std::string_view variable);

}  // namespace lockstep::job
