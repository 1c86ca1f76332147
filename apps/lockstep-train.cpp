// lockstep-train: one rank of a training run; under srun, mpirun, or alone.
#include <CLI/CLI.hpp>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/log.hpp"
#include "job/exit_code.hpp"
#include "job/placement.hpp"
#include "mpi/session.hpp"
#include "mpi/singleton.hpp"
#include "os/host.hpp"
#include "os/memory.hpp"
#include "os/signals.hpp"
#include "train/build_info.hpp"
#include "train/launch.hpp"
#include "train/run.hpp"

namespace {

using namespace lockstep;

struct CommandLine {
  std::string config;
  std::vector<std::string> overrides;
  std::string resume = "auto";
  std::string evaluate;
  bool print_config = false;
  bool whoami = false;
  bool help_config = false;
};

constexpr const char* kExamples = R"(Examples:
  lockstep-train config.yaml                                alone, on this machine
  mpirun -n 2 lockstep-train config.yaml                    two ranks
  srun --mpi=pmix lockstep-train config.yaml                in a Slurm job: one rank a task
  lockstep-train config.yaml --set train.epochs=10 --set run.name=longer
  lockstep-train config.yaml --evaluate latest              score the newest checkpoint
  lockstep-train config.yaml --print-config                 every key, resolved
  srun --mpi=pmix lockstep-train --whoami                   what each rank derived, and from which variable
  lockstep-train --help-config                              every key, its default and meaning

Send SIGUSR1 or SIGTERM, or make a file STOP in the run directory, to save and stop; start it again to go on.
Exit codes: 0 finished, 64 usage, 65 data, 69 environment, 70 internal, 74 I/O, 75 stopped with a checkpoint,
76 diverged, 77 hang.)";

// Ranks see the same file and make the same mistake: rank 0 says it. A rank that ended meanwhile
// would make the launcher kill rank 0 before that, so all meet in MPI_Init, and then the job is
// aborted.
int usage_error(int argc, char** argv, const job::Placement& placement,
                const std::string& message) {
  constexpr auto kUsage = static_cast<int>(job::ExitCode::usage);
  const bool is_first = placement.rank.value == 0;
  if (is_first) log::error(message);
  if (placement.size.value <= 1) return kUsage;
  mpi::Session session(argc, argv);
  if (!is_first && session.world().size() > 1) {
    std::this_thread::sleep_for(std::chrono::seconds(3));
    // Still here, so rank 0 has no such error: its node may see other files.
    log::set_identity(session.world().rank(), session.world().size(), os::host_name());
    log::error(message);
  }
  mpi::abort(kUsage);
  return kUsage;
}

int whoami(const mpi::Session& session, const job::Placement& placement) {
  const mpi::Comm& world = session.world();
  // One that MPI left alone does not get past the guard, but what it derived is what one looks for.
  if (world.size() == 1 && placement.size.value > 1)
    std::cout << job::describe(placement) << std::endl;
  const train::Launch launch = train::gather_launch(world, placement, "");
  for (const std::string& text : world.gather_text(train::describe(launch, world.rank()), 0))
    std::cout << text << '\n';
  train::check_launch(launch);
  if (world.rank() == 0) std::cout << "guard         all " << world.size() << " rank(s) agree\n";
  return 0;
}

std::optional<int> attempt_from(const os::Environment& environment) {
  const auto found = environment.find("LOCKSTEP_ATTEMPT");
  if (found == environment.end()) return std::nullopt;
  const std::string& text = found->second;
  int number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc() || end != text.data() + text.size() || number < 1) {
    throw Error(ErrorKind::usage, "LOCKSTEP_ATTEMPT must be a number from 1, not '" + text + "'");
  }
  return number;
}

// From here on a failure of one rank must end all of them: MPI_Abort carries the code through
// mpirun and srun.
int on_all_ranks(int argc, char** argv, const CommandLine& line, const train::Settings& settings,
                 const job::Placement& placement, const train::Request& request) {
  if (placement.launcher.value == job::Launcher::alone) mpi::start_as_singleton();
  mpi::Session session(argc, argv);
  os::StopSignals signals;
  log::set_identity(session.world().rank(), session.world().size(), os::host_name());
  int code = 0;
  try {
    code = line.whoami
               ? whoami(session, placement)
               : static_cast<int>(train::run(settings, request, session, placement, signals));
  } catch (const CollectiveError& error) {
    if (session.world().rank() == 0) log::error(error.what());
    code = static_cast<int>(job::exit_code(error.kind()));
  } catch (const Error& error) {
    log::error(error.what());
    mpi::abort(static_cast<int>(job::exit_code(error.kind())));
  } catch (const std::exception& error) {
    log::error(error.what());
    mpi::abort(static_cast<int>(job::ExitCode::internal));
  }
  session.finalize();
  // A signal that comes again now asks for what is done, and must not spoil the exit code.
  os::block_signals_in_this_thread();
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  CommandLine line;
  CLI::App app{
      "Trains an image model on MPI ranks in lockstep, with checkpoints that resume bit for bit.",
      "lockstep-train"};
  app.footer(kExamples);
  app.add_option("config", line.config, "configuration, YAML");
  app.add_option("--set", line.overrides, "override one key: --set train.steps=10")
      ->allow_extra_args(false);
  app.add_option("--resume", line.resume,
                 "auto (the newest checkpoint that verifies), none, or a step directory");
  app.add_option("--evaluate", line.evaluate, "score a step directory, or 'latest', and end");
  app.add_flag("--print-config", line.print_config, "print the resolved configuration and end");
  app.add_flag("--whoami", line.whoami, "print what this launch looks like from each rank and end");
  app.add_flag("--help-config", line.help_config,
               "print every configuration key with default and meaning, and end");
  app.set_version_flag("--version", std::string(train::kVersion));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int shown = app.exit(error);
    return shown == 0 ? 0 : static_cast<int>(job::ExitCode::usage);
  }

  os::keep_freed_memory();
  const os::Environment environment = os::environment();
  job::Placement placement;
  train::Settings settings;
  train::Request request;
  try {
    if (line.help_config) {
      std::cout << settings.schema().table();
      return 0;
    }
    placement = job::derive_placement(environment);
    if (line.config.empty() && !line.whoami)
      return usage_error(argc, argv, placement, "name a configuration file (see --help)");
    if (!line.config.empty()) settings.read(line.config, line.overrides);
    request.resume = train::Resume::parse(line.resume);
    if (!line.evaluate.empty()) request.evaluate = line.evaluate;
    request.attempt = attempt_from(environment);
    if (line.print_config) {
      if (placement.rank.value == 0) std::cout << settings.schema().print();
      return 0;
    }
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::usage) return usage_error(argc, argv, placement, error.what());
    log::error(error.what());
    return static_cast<int>(job::exit_code(error.kind()));
  }
  try {
    return on_all_ranks(argc, argv, line, settings, placement, request);
  } catch (const Error& error) {  // MPI itself did not start or end
    log::error(error.what());
    return static_cast<int>(job::exit_code(error.kind()));
  }
}
