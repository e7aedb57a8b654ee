#include "page/web_page.h"

// The assembler puts the file's bytes into the program: as a literal it would cost the compiler minutes and gigabytes.
__asm__(
    ".section .rodata\n"
    ".balign 16\n"
    "ws_web_page_begin:\n"
    ".incbin \"" WS_WEB_PAGE
    "\"\n"
    "ws_web_page_end:\n"
    ".byte 0\n"
    ".text\n");

extern "C" {
extern const char ws_web_page_begin[];
extern const char ws_web_page_end[];
}

namespace warpscope::page {

std::string_view WebPage() { return {ws_web_page_begin, static_cast<size_t>(ws_web_page_end - ws_web_page_begin)}; }

}  // namespace warpscope::page
