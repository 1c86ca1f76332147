#pragma once

#include "checkpoint/contents.hpp"
#include "checkpoint/manifest.hpp"

namespace lockstep::checkpoint {

/// Throws Error{usage} unless the checkpoint holds exactly what `contents` asks for: the same texts
/// and tensors, with the same types and shapes. The message says "matched k of n" and lists what is
/// missing, unexpected or different. The shape of a per-rank tensor counts only for the same number
/// of ranks.
void expect_match(const Manifest& manifest, const Contents& contents, Restored how);

}  // namespace lockstep::checkpoint
