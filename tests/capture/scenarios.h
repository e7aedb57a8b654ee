// Scenarios of the program that is recorded, by topic. They return its exit code, or -1 for a scenario that is not
// theirs.
#pragma once

#include <string>

int RunCounters(const std::string& scenario, void* fake, int count);           // launches that are measured
int RunKinds(const std::string& scenario, void* fake, int count);              // the rarer kinds of records
int RunLife(const std::string& scenario, void* fake, void* agent, int count);  // when it records, how it ends
int RunPc(const std::string& scenario, void* fake, int count);                 // PC sampling
int RunNvtx(const std::string& scenario, void* agent);                         // NVTX calls
extern char** g_argv;                                                          // of main
bool InstallNvtxTables(void* agent);
void PushNvtx(const char* text);
void PopNvtx();
