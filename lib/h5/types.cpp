#include "h5/types.hpp"

#include "core/error.hpp"

namespace lockstep::h5 {
namespace {

TypeHandle copy_of(hid_t predefined) {
  return TypeHandle(check(H5Tcopy(predefined), "H5Tcopy", "a predefined type"));
}

// IEEE 754 binary16; predefined only from HDF5 1.14.4 on.
TypeHandle half() {
  TypeHandle type = copy_of(H5T_IEEE_F32LE);
  check(H5Tset_fields(type.get(), 15, 10, 5, 0, 10), "H5Tset_fields", "f16");
  check(H5Tset_size(type.get(), 2), "H5Tset_size", "f16");
  check(H5Tset_ebias(type.get(), 15), "H5Tset_ebias", "f16");
  return type;
}

}  // namespace

TypeHandle type_of(DType dtype) {
  switch (dtype) {
    case DType::u8:
      return copy_of(H5T_STD_U8LE);
    case DType::i32:
      return copy_of(H5T_STD_I32LE);
    case DType::i64:
      return copy_of(H5T_STD_I64LE);
    case DType::f16:
      return half();
    case DType::bf16:
      return copy_of(H5T_STD_U16LE);
    case DType::f32:
      return copy_of(H5T_IEEE_F32LE);
    case DType::f64:
      return copy_of(H5T_IEEE_F64LE);
  }
  throw Error(ErrorKind::internal, "an element type that lib/h5 does not know");
}

TypeHandle string_type(std::size_t bytes) {
  TypeHandle type = copy_of(H5T_C_S1);
  check(H5Tset_size(type.get(), bytes), "H5Tset_size", "a string");
  check(H5Tset_strpad(type.get(), H5T_STR_NULLPAD), "H5Tset_strpad", "a string");
  check(H5Tset_cset(type.get(), H5T_CSET_UTF8), "H5Tset_cset", "a string");
  return type;
}

}  // namespace lockstep::h5
