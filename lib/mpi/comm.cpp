#include "mpi/comm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "core/error.hpp"
#include "mpi/check.hpp"
#include "mpi/session.hpp"

namespace lockstep::mpi {
namespace {

// Below MPI's int limit, and even for all types.
constexpr std::size_t kMostElements = std::size_t{1} << 30U;

MPI_Datatype datatype(DType dtype) {
  switch (dtype) {
    case DType::u8:
      return MPI_UINT8_T;
    case DType::i32:
      return MPI_INT32_T;
    case DType::i64:
      return MPI_INT64_T;
    case DType::f32:
      return MPI_FLOAT;
    case DType::f64:
      return MPI_DOUBLE;
    case DType::f16:
    case DType::bf16:
      break;
  }
  throw Error(ErrorKind::internal,
              fmt::format("MPI cannot reduce elements of type {}", name(dtype)));
}

// Elements that are only moved: any type of the same size does, and counts stay small.
MPI_Datatype carrier(DType dtype) {
  switch (size_of(dtype)) {
    case 1:
      return MPI_UINT8_T;
    case 2:
      return MPI_UINT16_T;
    case 4:
      return MPI_UINT32_T;
    default:
      return MPI_UINT64_T;
  }
}

MPI_Op operation(Op op) {
  switch (op) {
    case Op::sum:
      return MPI_SUM;
    case Op::min:
      return MPI_MIN;
    case Op::max:
      return MPI_MAX;
  }
  return MPI_SUM;
}

int to_int(std::size_t count) {
  expect(count <= static_cast<std::size_t>(std::numeric_limits<int>::max()),
         "an MPI count fits an int");
  return static_cast<int>(count);
}

template <typename Call>
void in_pieces(BufferView buffer, Call&& call) {
  for (std::size_t first = 0; first < buffer.count; first += kMostElements) {
    call(buffer.slice(first, std::min(kMostElements, buffer.count - first)));
  }
}

std::vector<int> offsets_of(const std::vector<int>& lengths) {
  std::vector<int> offsets(lengths.size());
  std::exclusive_scan(lengths.begin(), lengths.end(), offsets.begin(), 0);
  return offsets;
}

std::vector<std::string> cut(const std::string& joined, const std::vector<int>& lengths) {
  std::vector<std::string> texts;
  std::size_t at = 0;
  for (const int length : lengths) {
    texts.push_back(joined.substr(at, static_cast<std::size_t>(length)));
    at += static_cast<std::size_t>(length);
  }
  return texts;
}

}  // namespace

void check(int code, std::string_view call, Where where) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  throw Error(ErrorKind::peer, fmt::format("{} failed: {}", call, text.data()), where);
}

void CommTraits::close(MPI_Comm comm) noexcept {
  if (is_running()) MPI_Comm_free(&comm);
}

bool Request::test() {
  int done = 0;
  check(MPI_Test(&request_, &done, MPI_STATUS_IGNORE), "MPI_Test");
  return done != 0;
}

Comm::Comm(MPI_Comm comm) : owned_(comm == MPI_COMM_WORLD ? MPI_COMM_NULL : comm), comm_(comm) {
  check(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
  check(MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
}

Comm Comm::duplicate() const {
  MPI_Comm copy = MPI_COMM_NULL;
  check(MPI_Comm_dup(comm_, &copy), "MPI_Comm_dup");
  return Comm(copy);
}

Comm Comm::split_by_node() const {
  MPI_Comm part = MPI_COMM_NULL;
  check(MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &part),
        "MPI_Comm_split_type");
  return Comm(part);
}

void Comm::barrier() const { check(MPI_Barrier(comm_), "MPI_Barrier"); }

void Comm::all_reduce(BufferView inout, Op op) const {
  in_pieces(inout, [&](BufferView piece) {
    check(MPI_Allreduce(MPI_IN_PLACE, piece.data, to_int(piece.count), datatype(piece.dtype),
                        operation(op), comm_),
          "MPI_Allreduce");
  });
}

Request Comm::start_all_reduce(BufferView inout, Op op) const {
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Iallreduce(MPI_IN_PLACE, inout.data, to_int(inout.count), datatype(inout.dtype),
                       operation(op), comm_, &request),
        "MPI_Iallreduce");
  return Request(request);
}

void Comm::reduce_scatter(BufferView in, BufferView out, Op op) const {
  expect(in.count == out.count * static_cast<std::size_t>(size_),
         "reduce_scatter: in holds size() times out");
  check(MPI_Reduce_scatter_block(in.data, out.data, to_int(out.count), datatype(out.dtype),
                                 operation(op), comm_),
        "MPI_Reduce_scatter_block");
}

void Comm::all_gather(BufferView in, BufferView out) const {
  expect(out.count == in.count * static_cast<std::size_t>(size_),
         "all_gather: out holds size() times in");
  const bool in_place =
      in.data == out.slice(static_cast<std::size_t>(rank_) * in.count, in.count).data;
  check(MPI_Allgather(in_place ? MPI_IN_PLACE : in.data, to_int(in.count), carrier(in.dtype),
                      out.data, to_int(in.count), carrier(out.dtype), comm_),
        "MPI_Allgather");
}

void Comm::broadcast(BufferView inout, int root) const {
  in_pieces({inout.data, inout.size_bytes(), DType::u8}, [&](BufferView piece) {
    check(MPI_Bcast(piece.data, to_int(piece.count), MPI_BYTE, root, comm_), "MPI_Bcast");
  });
}

bool Comm::all(bool mine) const {
  std::int32_t value = mine ? 1 : 0;
  all_reduce({&value, 1, DType::i32}, Op::min);
  return value == 1;
}

double Comm::max(double mine) const {
  all_reduce({&mine, 1, DType::f64}, Op::max);
  return mine;
}

std::vector<std::string> Comm::all_gather_text(std::string_view mine) const {
  const int length = to_int(mine.size());
  std::vector<int> lengths(static_cast<std::size_t>(size_));
  check(MPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, comm_), "MPI_Allgather");
  std::string joined(static_cast<std::size_t>(std::accumulate(lengths.begin(), lengths.end(), 0)),
                     '\0');
  const std::vector<int> offsets = offsets_of(lengths);
  check(MPI_Allgatherv(mine.data(), length, MPI_CHAR, joined.data(), lengths.data(), offsets.data(),
                       MPI_CHAR, comm_),
        "MPI_Allgatherv");
  return cut(joined, lengths);
}

std::vector<std::string> Comm::gather_text(std::string_view mine, int root) const {
  const int length = to_int(mine.size());
  std::vector<int> lengths(rank_ == root ? static_cast<std::size_t>(size_) : 0);
  check(MPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, root, comm_), "MPI_Gather");
  std::string joined(static_cast<std::size_t>(std::accumulate(lengths.begin(), lengths.end(), 0)),
                     '\0');
  const std::vector<int> offsets = offsets_of(lengths);
  check(MPI_Gatherv(mine.data(), length, MPI_CHAR, joined.data(), lengths.data(), offsets.data(),
                    MPI_CHAR, root, comm_),
        "MPI_Gatherv");
  return cut(joined, lengths);
}

std::string Comm::broadcast_text(std::string_view mine, int root) const {
  std::int64_t length = static_cast<std::int64_t>(mine.size());
  broadcast({&length, 1, DType::i64}, root);
  std::string text(mine);
  text.resize(static_cast<std::size_t>(length));
  broadcast({text.data(), text.size(), DType::u8}, root);
  return text;
}

Request Comm::start_send(std::span<const std::byte> bytes, int to, int tag) const {
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Isend(bytes.data(), to_int(bytes.size()), MPI_BYTE, to, tag, comm_, &request),
        "MPI_Isend");
  return Request(request);
}

std::optional<Comm::Message> Comm::poll(int tag) const {
  int is_here = 0;
  MPI_Message handle = MPI_MESSAGE_NULL;
  MPI_Status status;
  check(MPI_Improbe(MPI_ANY_SOURCE, tag, comm_, &is_here, &handle, &status), "MPI_Improbe");
  if (is_here == 0) return std::nullopt;
  int length = 0;
  check(MPI_Get_count(&status, MPI_BYTE, &length), "MPI_Get_count");
  Message message{status.MPI_SOURCE, std::vector<std::byte>(static_cast<std::size_t>(length))};
  check(MPI_Mrecv(message.bytes.data(), length, MPI_BYTE, &handle, MPI_STATUS_IGNORE), "MPI_Mrecv");
  return message;
}

}  // namespace lockstep::mpi
