#include "record/visible_devices.h"

#include <gtest/gtest.h>

namespace warpscope::record {
namespace {

std::vector<device::GpuFacts> Gpus(unsigned count) {
  std::vector<device::GpuFacts> gpus(count);
  for (unsigned i = 0; i < count; ++i) {
    gpus[i].index = i;
    gpus[i].name = "One Model";
    gpus[i].uuid = "GPU-" + std::string(8, static_cast<char>('a' + i)) + "-1";
  }
  return gpus;
}

std::string Shown(const std::vector<VisibleDevice>& devices) {
  std::string text;
  for (const VisibleDevice& device : devices)
    text += std::to_string(device.number) + "=" + std::to_string(device.index) + " ";
  return text;
}

TEST(VisibleDevices, AsCudaCounts) {
  const auto gpus = Gpus(3);
  EXPECT_EQ(Shown(VisibleDevices(gpus, std::nullopt)), "0=0 1=1 2=2 ");
  EXPECT_EQ(Shown(VisibleDevices(gpus, "2, 0")), "0=2 1=0 ");
  EXPECT_EQ(Shown(VisibleDevices(gpus, "GPU-bbbb")), "0=1 ");
  EXPECT_EQ(Shown(VisibleDevices(gpus, "1,9,0")), "0=1 ");  // CUDA stops at a wrong one
  EXPECT_EQ(Shown(VisibleDevices(gpus, "")), "");
  EXPECT_EQ(Shown(VisibleDevices(gpus, "-1")), "");
  EXPECT_EQ(Shown(VisibleDevices(gpus, "MIG-123")), "0=0 1=1 2=2 ");
}

TEST(VisibleDevices, MixedModelsMayBeNumberedOtherwise) {
  auto gpus = Gpus(2);
  EXPECT_FALSE(NumbersMayDiffer(gpus, std::nullopt));
  gpus[1].name = "Another Model";
  EXPECT_TRUE(NumbersMayDiffer(gpus, std::nullopt));
  EXPECT_FALSE(NumbersMayDiffer(gpus, "PCI_BUS_ID"));
}

}  // namespace
}  // namespace warpscope::record
