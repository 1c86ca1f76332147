#pragma once

#include <string>

#include "mpi/comm.hpp"

namespace lockstep::mpi {

/// MPI_Init_thread(MULTIPLE) to MPI_Finalize; one a program. MPI's errors come back as exceptions.
class Session {
 public:
  Session(int& argc, char**& argv);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// All ranks of the job. Modules duplicate it and never talk on each other's.
  [[nodiscard]] const Comm& world() const noexcept { return world_; }

  /// A normal end: collective, all ranks must come. Not called after an error: then abort() is the
  /// way out.
  void finalize();

 private:
  Comm world_;
};

/// True between Session's construction and its end.
[[nodiscard]] bool is_running() noexcept;

/// Ends every rank of the job with `code`, from any thread. Unlike exit(), the code survives mpirun
/// and srun. Does not return.
[[noreturn]] void abort(int code);

/// What MPI was really loaded.
struct Library {
  std::string version;  ///< "Open MPI v4.1.4, package: ..."
  std::string path;     ///< of libmpi
  std::string ucx;      ///< version of UCX, "" if it is not loaded
  std::string
      pml;  ///< the messaging layer that Open MPI took: "ob1", "ucx", "cm"; "unknown" elsewhere
};
[[nodiscard]] Library library();

}  // namespace lockstep::mpi
