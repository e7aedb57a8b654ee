// A program whose memory may not be read: usage: capture_hidden PYTHON-LIKE-NAME. It forbids it and sleeps.
#include <sys/prctl.h>
#include <unistd.h>

#include <cstring>

namespace {

volatile int g_sum;

// A wait and then work, each long enough for a sampler.
void Work() {
  for (int i = 0; i < 200'000'000; ++i) g_sum = g_sum + i;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "hidden") == 0) prctl(PR_SET_DUMPABLE, 0);
  usleep(300'000);
  Work();
  return 5;
}
