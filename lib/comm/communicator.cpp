#include "comm/communicator.hpp"

#include <exception>

#include "core/log.hpp"

namespace lockstep::comm {

Pending::~Pending() {
  // While an exception passes nobody can wait, and the exception is what matters.
  if (operation_ && std::uncaught_exceptions() == 0) {
    log::error("a collective was started and never waited for; please report it");
  }
}

void Pending::wait() {
  if (const auto operation = std::move(operation_)) operation->wait();
}

}  // namespace lockstep::comm
