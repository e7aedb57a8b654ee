#include "import/nsys/nvtx_payload.h"

#include <gtest/gtest.h>

namespace warpscope::import::nsys {
namespace {

void Put(std::string& bytes, uint64_t value, int size) {
  for (int i = 0; i < size; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xff);
}

std::string Header(uint32_t domain, uint32_t schema, uint64_t size) {
  std::string bytes;
  Put(bytes, domain, 4), Put(bytes, 0, 4), Put(bytes, schema, 4), Put(bytes, 0, 4);
  Put(bytes, size, 8), Put(bytes, size + 32, 8);
  return bytes;
}

PayloadSchemas Nccl() {
  PayloadSchemas schemas;
  schemas.AddEntry(1, 16777218, {18, "NCCL communicator ID", 0});
  schemas.AddEntry(1, 16777218, {5, "No. of ranks", 8});
  schemas.AddEntry(1, 16777218, {5, "Rank", 12});
  schemas.AddEntry(1, 16777220, {22, "Message size [bytes]", 8});
  schemas.AddEntry(1, 16777220, {99, "Reduction operation", 16});
  schemas.AddEnumValue(1, 99, 2, "Max");
  return schemas;
}

TEST(NvtxPayloadTest, FieldsByTheirSchema) {
  std::string bytes = Header(1, 16777218, 16);
  Put(bytes, 0xffffffffffffffffULL, 8), Put(bytes, 8, 4), Put(bytes, 3, 4);
  const auto fields = Nccl().Decode(bytes);
  ASSERT_EQ(fields.size(), 3u);
  EXPECT_EQ(fields[2].value, 3);
  EXPECT_EQ(PayloadText(fields), "NCCL communicator ID=18446744073709551615, No. of ranks=8, Rank=3");
}

TEST(NvtxPayloadTest, EnumerationsAreNamed) {
  std::string bytes = Header(1, 16777220, 24);
  Put(bytes, 5, 8), Put(bytes, 4096, 8), Put(bytes, 2, 4);
  EXPECT_EQ(PayloadText(Nccl().Decode(bytes)), "Message size [bytes]=4096, Reduction operation=Max");
}

TEST(NvtxPayloadTest, WhatIsTooShortOrUnknownGivesNothing) {
  EXPECT_TRUE(Nccl().Decode("short").empty());
  EXPECT_TRUE(Nccl().Decode(Header(2, 16777218, 0)).empty());
  EXPECT_TRUE(Nccl().Decode(Header(1, 16777218, 16)).empty());
  PayloadSchemas odd;
  odd.AddEntry(1, 1, {18, "far", INT64_MAX});
  odd.AddEntry(1, 1, {18, "before", -8});
  EXPECT_TRUE(odd.Decode(Header(1, 1, 0) + std::string(8, 'x')).empty());
}

TEST(NvtxPayloadTest, SignedFieldsKeepTheirSign) {
  PayloadSchemas schemas;
  schemas.AddEntry(0, 7, {5, "peer", 0});
  std::string bytes = Header(0, 7, 4);
  Put(bytes, 0xffffffff, 4);
  EXPECT_EQ(PayloadText(schemas.Decode(bytes)), "peer=-1");
}

}  // namespace
}  // namespace warpscope::import::nsys
