#pragma once

#include <filesystem>

#include "data/dataset.hpp"

namespace lockstep::data {

/// MNIST, Fashion-MNIST and what is kept like them: a folder with
/// {train,t10k}-{images,labels}-idxN-ubyte, each plain or .gz. Images are uint8, count x height x
/// width (idx3) or count x height x width x channels (idx4), labels uint8 (idx1). Everything is
/// read into memory. There are as many classes as the largest training label says, named "0", "1"
/// and so on.
[[nodiscard]] Datasets open_idx(const std::filesystem::path& folder);

}  // namespace lockstep::data
