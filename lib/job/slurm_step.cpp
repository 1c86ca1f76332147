#include "job/slurm_step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/error.hpp"
#include "job/node_list.hpp"

namespace lockstep::job {
namespace {

struct TaskCounts {
  std::vector<std::int64_t> each;  ///< a node
  std::string from;

  [[nodiscard]] std::int64_t sum() const {
    return std::accumulate(each.begin(), each.end(), std::int64_t{0});
  }
};

std::optional<TaskCounts> task_counts(const Variables& variables, std::string_view name) {
  const auto text = variables.text(name);
  if (!text) return std::nullopt;
  return TaskCounts{expand_counts(*text, name), std::string(name)};
}

Derived<int> total(std::int64_t value, const std::string& from) {
  if (value > std::numeric_limits<int>::max())
    contradiction(fmt::format("{} says {} tasks", from, value));
  return {static_cast<int>(value), from};
}

std::optional<Derived<int>> node_count(const Variables& variables) {
  return variables.first_count({"SLURM_STEP_NUM_NODES", "SLURM_NNODES", "SLURM_JOB_NUM_NODES"});
}

Derived<std::vector<std::string>> find_nodes(const Variables& variables,
                                             std::initializer_list<std::string_view> lists,
                                             std::initializer_list<std::string_view> counts) {
  const auto text = variables.first_text(lists);
  if (!text) return {};
  Derived<std::vector<std::string>> nodes{expand_node_list(text->value, text->from), text->from};
  const auto count = variables.first_count(counts);
  if (count && static_cast<std::size_t>(count->value) != nodes.value.size()) {
    contradiction(fmt::format("{}='{}' names {} nodes, but {}={}", text->from, text->value,
                              nodes.value.size(), count->from, count->value));
  }
  return nodes;
}

}  // namespace

Derived<std::vector<std::string>> job_nodes(const Variables& variables) {
  return find_nodes(variables, {"SLURM_JOB_NODELIST", "SLURM_NODELIST"},
                    {"SLURM_JOB_NUM_NODES", "SLURM_NNODES"});
}

Derived<std::vector<std::string>> step_nodes(const Variables& variables) {
  if (!variables.has("SLURM_STEP_NODELIST")) return job_nodes(variables);
  return find_nodes(variables, {"SLURM_STEP_NODELIST"}, {"SLURM_STEP_NUM_NODES"});
}

void contradiction(const std::string& what) {
  throw Error(ErrorKind::environment,
              what + "; start the program in a step of its own (srun), or in a clean environment");
}

std::optional<Derived<int>> step_tasks(const Variables& variables) {
  const auto step_counts = task_counts(variables, "SLURM_STEP_TASKS_PER_NODE");
  const auto step = variables.first_count({"SLURM_STEP_NUM_TASKS"});
  if (step && step_counts && step_counts->sum() != step->value) {
    contradiction(
        fmt::format("SLURM_STEP_NUM_TASKS={}, but SLURM_STEP_TASKS_PER_NODE={} adds up to {}",
                    step->value, *variables.text(step_counts->from), step_counts->sum()));
  }
  if (step) return step;
  if (step_counts) return total(step_counts->sum(), step_counts->from);

  std::vector<Derived<int>> told;
  for (const std::string_view name : {"SLURM_NTASKS", "SLURM_NPROCS"}) {
    if (const auto value = variables.count(name)) told.push_back({*value, std::string(name)});
  }
  if (const auto counts = task_counts(variables, "SLURM_TASKS_PER_NODE")) {
    told.push_back(total(counts->sum(), counts->from));
  }
  const auto nodes = node_count(variables);
  const auto per_node = variables.count("SLURM_NTASKS_PER_NODE");
  if (nodes && per_node) {
    const auto product =
        total(std::int64_t{nodes->value} * *per_node, nodes->from + " x SLURM_NTASKS_PER_NODE");
    // Beside a total the number a node is only the most that may be there.
    if (told.empty() || product.value < told.front().value) told.push_back(product);
  }
  if (told.empty()) return std::nullopt;
  for (const Derived<int>& other : told) {
    if (other.value != told.front().value) {
      contradiction(fmt::format("{}={}, but {} says {}", told.front().from, told.front().value,
                                other.from, other.value));
    }
  }
  return told.front();
}

NodeShare node_share(const Variables& variables, const Derived<int>& rank,
                     const Derived<int>& size) {
  TaskCounts counts;
  for (const std::string_view name : {"SLURM_STEP_TASKS_PER_NODE", "SLURM_TASKS_PER_NODE"}) {
    auto told = task_counts(variables, name);
    if (counts.each.empty() && told && told->sum() == size.value) counts = std::move(*told);
  }
  if (counts.each.empty()) {
    const int nodes = std::clamp(node_count(variables).value_or(Derived<int>{1, ""}).value, 1,
                                 std::max(size.value, 1));
    const int most = (size.value + nodes - 1) / nodes;
    for (int rest = size.value; rest > 0; rest -= most) counts.each.push_back(std::min(rest, most));
  }
  NodeShare share;
  share.node = {0, ""};
  share.local_rank = {rank.value, ""};
  for (const std::int64_t count : counts.each) {
    if (share.local_rank.value < count) break;
    share.local_rank.value -= static_cast<int>(count);
    ++share.node.value;
  }
  if (const auto told = variables.first_count({"SLURM_NODEID"})) share.node = *told;
  if (const auto told = variables.first_count({"SLURM_LOCALID"})) share.local_rank = *told;
  const auto index = static_cast<std::size_t>(share.node.value);
  if (index >= counts.each.size()) {
    contradiction(fmt::format("{}={}, but the tasks of the step are on {} nodes{}", share.node.from,
                              share.node.value, counts.each.size(),
                              counts.from.empty() ? "" : " (" + counts.from + ")"));
  }
  share.local_size = {static_cast<int>(counts.each[index]), counts.from};
  return share;
}

}  // namespace lockstep::job
