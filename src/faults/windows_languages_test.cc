// Events of Windows as its viewer writes them in other languages.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "faults/scanner.h"

namespace warpscope::faults {
namespace {

std::vector<Event> EventsOf(std::string_view text) {
  MachineFacts machine;
  std::vector<Event> events;
  Scanner scanner(&machine, [&](Event event) { events.push_back(std::move(event)); });
  scanner.BeginLog("log");
  scanner.Feed(text);
  scanner.EndLog();
  return events;
}

TEST(WindowsLanguages, German) {
  const auto events = EventsOf(
      "Protokollname: System\nQuelle:        nvlddmkm\nDatum:         18.07.2024 16:03:51\nEreignis-ID:   14\n"
      "Ebene:         Fehler\nBeschreibung:\n"
      "Die Beschreibung für Ereignis-ID \"14\" aus der Quelle \"nvlddmkm\" wurde nicht gefunden.\n"
      "Protokollname: System\nQuelle:        Display\nDatum:         18.07.2024 16:05:51\nEreignis-ID:   4101\n"
      "Beschreibung:\nDer Anzeigetreiber \"nvlddmkm\" reagiert nicht mehr und wurde wiederhergestellt.\n");
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].entry->id, "win-nvlddmkm-14");
  EXPECT_EQ(TextOf(events[0].time), "2024-07-18 16:03:51");
  EXPECT_EQ(events[1].entry->id, "win-display-4101");
  EXPECT_EQ(TextOf(events[1].time), "2024-07-18 16:05:51");
}

TEST(WindowsLanguages, Chinese) {
  const auto events = EventsOf(
      "日志名称:          System\n来源:            nvlddmkm\n日期:            2024/7/18 下午 4:03:51\n"
      "事件 ID:         153\n描述:\n无法找到来自源 nvlddmkm 的事件 ID 153 的描述。\n"
      "日志名称:          System\n来源:            Display\n日期:            2024/7/18 16:05:51\n事件 ID:         "
      "4101\n"
      "描述:\n显示器驱动程序 nvlddmkm 已停止响应，并且已成功恢复。\n");
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].entry->id, "win-nvlddmkm-153");
  EXPECT_EQ(TextOf(events[0].time), "2024-07-18 16:03:51");
  EXPECT_EQ(events[1].entry->id, "win-display-4101");
}

// The number of a stop is the same in every language.
TEST(WindowsLanguages, BugCheck) {
  const auto events = EventsOf(
      "计算机已经从检测错误后重新启动。检测错误: 0x00000116 (0xffffe00f1c2a7010, 0xfffff8023c1b5f9c, 0x0, 0x4)。\n");
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].entry->id, "win-video-tdr-failure");
}

// Two events of one line each are two, though their numbers are the same.
TEST(WindowsLanguages, OneLineEach) {
  const auto events =
      EventsOf("7/18/2024 4:03:51 PM nvlddmkm Event ID 153 Error\n7/18/2024 4:04:51 PM nvlddmkm Event ID 153 Error\n");
  EXPECT_EQ(events.size(), 2u);
}

}  // namespace
}  // namespace warpscope::faults
