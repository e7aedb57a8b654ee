#include "doctor/bundle/bundle.h"

#include <gtest/gtest.h>

#include "doctor/bundle/archive.h"
#include "doctor/bundle/masker.h"
#include "import/container/byte_source.h"
#include "record/testing/fake_system.h"

namespace warpscope::doctor {
namespace {

std::string Inflated(const std::string& bytes) {
  const auto source = import::OpenGzip(import::OpenMemory(bytes));
  std::string text, buffer(1u << 16, '\0');
  for (;;) {
    const auto got = source->Read(buffer.data(), buffer.size());
    if (!got.ok() || got.value() == 0) return text;
    text.append(buffer, 0, got.value());
  }
}

TEST(Masker, HidesNamesAndSecrets) {
  Masker masker;
  masker.AddHost("gpu-box-7.example.com");
  masker.AddUser("maria");
  const std::string text =
      "Jul 23 13:42:46 node1x kernel: NVRM: Xid (PCI:0000:3b:00): 79, pid=1, name=python\n"
      "2025-01-21T04:41:44+00:00 node1x systemd[1]: Started.\n"
      "/home/maria/train.py on gpu-box-7 by Maria; /home/peter/x\n"
      "    Serial Number                         : 0334517001520\n"
      "    GPU UUID                              : GPU-f4c353ff-b56c-c1de-bcb9-7dad861b589a\n"
      "again GPU-f4c353ff-b56c-c1de-bcb9-7dad861b589a\n"
      "HF_TOKEN=hf_abcdefghijklmnopqrstuv mail me@example.org from 10.1.2.3, eth aa:bb:cc:dd:ee:ff\n"
      "Driver Version : 580.95.05, bus 00000000:3B:00.0, Kernel 5.15.0-91\n"
      "-----BEGIN RSA PRIVATE KEY-----\nMIIEsecret\n-----END RSA PRIVATE KEY-----\nafter\n";
  masker.Learn(text);
  const std::string masked = masker.Masked(text);
  for (const char* gone : {"node1x", "maria", "Maria", "gpu-box-7", "peter", "0334517001520", "f4c353ff", "hf_abcdef",
                           "me@example.org", "10.1.2.3", "aa:bb:cc", "MIIEsecret"})
    EXPECT_EQ(masked.find(gone), std::string::npos) << gone << "\n" << masked;
  for (const char* kept : {"Xid (PCI:0000:3b:00): 79", "name=python", "580.95.05", "00000000:3B:00.0", "GPU-uuid1",
                           "again GPU-uuid1", "5.15.0-91", "after"})
    EXPECT_NE(masked.find(kept), std::string::npos) << kept << "\n" << masked;
  EXPECT_GE(masker.hidden_count(), 10u);
}

TEST(Masker, LearnsNamesFromTheText) {
  Masker masker;
  const std::string text =
      "Jan  1 00:00:02 box sshd[123]: Accepted publickey for alice from 10.1.2.3 port 22\n"
      "carlos    4711 99.0  1.2 1234 567 ? Dl 10:00 1:23 python3 train.py\n"
      "-rw-r--r-- 1 dorothy users 12 Jan 1 10:00 x\n{\"user\": \"edward\", \"x\": 1}\nC:\\Users\\frank\\x.py\n"
      "then alice and carlos and dorothy and edward and frank\n"
      "postgres://u:p@db.prod.example.net:5432/x https://mirror.example.org/y https://docs.nvidia.com/z\n"
      "curl -u bob:pa55word https://docs.nvidia.com; node7.cluster.local\n"
      "inet6 fe80::1ff:fe23:4567:890a scope; std::string at 0000:3b:00.0, 12:34:56\n"
      "ssh-rsa AAAAB3NzaC1yc2EAAAADAQAB x\n";
  masker.Learn(text);
  const std::string masked = masker.Masked(text);
  for (const char* gone : {"alice", "carlos", "dorothy", "edward", "frank", "db.prod", "mirror.example", "pa55word",
                           "node7", "fe80", "AAAAB3"})
    EXPECT_EQ(masked.find(gone), std::string::npos) << gone << "\n" << masked;
  for (const char* kept : {"https://docs.nvidia.com/z", "std::string at 0000:3b:00.0, 12:34:56", "python3 train.py"})
    EXPECT_NE(masked.find(kept), std::string::npos) << kept << "\n" << masked;
}

TEST(Masker, HidesNamesAndNumbersInTheWaysOfClusters) {
  Masker masker;
  const std::string text =
      "node-a17:12345:12349 [0] NCCL INFO Bootstrap : Using eth0\nthen node-a17 again\n"
      "MASTER_ADDR=gpu-worker-05 SLURM_JOB_USER=wolfgang\nSLURMD_NODENAME=hgx001\n"
      "uid=1001(gerhard) gid=100(users)\n/home/m\xC3\xBCller/x /scratch/users/brigitte/y\n"
      "\tCapabilities: [260 v1] Device Serial Number 48-b0-2d-ff-ff-12-34-56\nlink 48-b0-2d-12-34-99\n"
      "PRODUCT_SERIAL: 692251001124\n\"asic_serial\": \"0x99ab12cd\"\n";
  masker.Learn(text);
  const std::string masked = masker.Masked(text);
  for (const char* gone : {"node-a17", "gpu-worker-05", "wolfgang", "hgx001", "gerhard", "ller", "brigitte", "48-b0-2d",
                           "692251001124", "99ab12cd"})
    EXPECT_EQ(masked.find(gone), std::string::npos) << gone << "\n" << masked;
  for (const char* kept : {"[0] NCCL INFO Bootstrap", "Capabilities: [260 v1]", "uid=1001("})
    EXPECT_NE(masked.find(kept), std::string::npos) << kept << "\n" << masked;
}

// What a reviewer would search an archive for.
TEST(Masker, HidesWhatStandsInOtherForms) {
  Masker masker;
  const std::string text =
      "k wJalrXUtnFEMI/K7MDENG/bPxRfiCYzEXAMPLEKE\n"
      "mysql -uroot -pS3cretPass db\nsshpass -p 'Tr0ub4dor' ssh x\nmysql -h dbhost.corp --password=hunter2 -pHunter22\n"
      "port_guid 506b:4b03:00c8:a4e2 EUI 02-1A-2B-FF-FE-3C-4D-5E, 021a.2bff.fe3c.4d5e\n"
      "Node GUID: 0xb8cef60300aabbcc System image GUID: 0xb8cef60300aabbcd\n0242.ac11.0002 0242ac110002\n"
      "GPU[0] : Unique ID: 0x9f2c1d7a3b4e5f60\ncard0,unique_id,0x9f2c1d7a3b4e5f61\n"
      "amdgpu 0000:03:00.0: amdgpu: unique 9f2c1d7a3b4e5f63\n"
      "Mar 10 ip-10-1-2-3 kernel: x; connect to ip-172-31-9-17:29500\n"
      "[gpunode17.corp.example.com]:8443 and [myhostname]:2222, tcp://gpu07x:2379 redis://u:pw@cache01:6379/0\n"
      "master_addr: trainer-01 --master_addr=trainer-03 --rdzv_endpoint=trainer-04:29400\n"
      "C:\\Users\\Carol Smith\\z ~evelyn/z\nMachine ID: 0123456789abcdef0123456789abcdee\n"
      "Chassis Serial Number: ABC1234567 Board S/N XYZ987654\npassword for alice: hunter3\n"
      "SLURM_NODELIST=gpu[01-04]\nSHA256:nThbg6kXUpJWGl7E1IGOCspRomTxdCARLviKw6E5SY8\n"
      "-----BEGIN CERTIFICATE-----\nMIICcert\n-----END CERTIFICATE-----\n";
  masker.Learn(text);
  const std::string masked = masker.Masked(text);
  for (const char* gone :
       {"wJalr",  "S3cret",       "Tr0ub",      "hunter2",   "Hunter22", "dbhost",  "506b",  "1A-2B",
        "2bff",   "aabbcc",       "aabbcd",     "0242",      "5f60",     "5f61",    "5f63",  "10-1-2-3",
        "172-31", "gpunode17",    "myhostname", "gpu07x",    "cache01",  "trainer", "Carol", "Smith",
        "evelyn", "456789abcdef", "ABC1234567", "XYZ987654", "hunter3",  "01-04",   "nThbg", "MIICcert"})
    EXPECT_EQ(masked.find(gone), std::string::npos) << gone << "\n" << masked;
  // What a diagnosis needs stays.
  const std::string kept =
      "NVRM: Xid (PCI:0000:3b:00): 31, Ch 00000008, intr 10000000. MMU Fault at 0x7f12_34567000\n"
      "RIP: 0010:[<ffffffffc0a1b2c3>] at 0000000012345678, gcc -pthread -pipe, docker run -p 8080:80 -p2222:22\n"
      "{1}[Hardware Error]: ACA[01/01].STATUS=0x98000800003e0000\nmce: [Hardware Error]: Bank 5: be00000000800400\n"
      "modprobe@drm.service: Deactivated\n[0.0] Linux version 5.15.0-91 x\nIPMI version 39.2\n"
      "torch.nn.functional, cuda-12.8, 550.90.07, sm_90a, libcudart.so.12, /usr/local/cuda-12.8/lib64, "
      "12:34:56.789012\n";
  masker.Learn(kept);
  EXPECT_EQ(masker.Masked(kept), kept);
}

TEST(Masker, LeavesCommonWords) {
  Masker masker;
  masker.AddUser("root");
  masker.AddHost("localhost");
  EXPECT_EQ(masker.Masked("root on localhost\n"), "root on localhost\n");
  EXPECT_EQ(masker.hidden_count(), 0u);
}

TEST(Archive, IsATarWithoutTimes) {
  const std::string bytes = MakeTarGz({{"a/b.txt", "hello\n"}, {"c", std::string(1000, 'x')}});
  EXPECT_EQ(bytes, MakeTarGz({{"a/b.txt", "hello\n"}, {"c", std::string(1000, 'x')}}));
  const std::string tar = Inflated(bytes);
  ASSERT_EQ(tar.size() % 512, 0u);
  EXPECT_EQ(tar.substr(0, 7), "a/b.txt");
  EXPECT_EQ(tar.substr(257, 5), "ustar");
  EXPECT_EQ(tar.substr(512, 6), "hello\n");
  EXPECT_EQ(tar.substr(1024, 1), "c");
  EXPECT_EQ(tar.substr(1024 + 512, 1000), std::string(1000, 'x'));
  // The sum of the header's bytes, with its own field as blanks.
  unsigned sum = 0, told = 0;
  for (size_t i = 0; i < 512; ++i) sum += i >= 148 && i < 156 ? ' ' : static_cast<unsigned char>(tar[i]);
  for (size_t i = 148; i < 154; ++i) told = told * 8 + static_cast<unsigned>(tar[i] - '0');
  EXPECT_EQ(sum, told);
}

TEST(Bundle, OfAMachine) {
  record::testing::FakeSystem system;
  system.files["/proc/sys/kernel/hostname"] = "secretbox\n";
  system.files["/proc/driver/nvidia/version"] = "NVRM version: 580.95.05\n";
  system.files["/proc/cmdline"] = "root=/dev/sda1 quiet\n";
  system.variables = {{"USER", "maria"}, {"CUDA_VISIBLE_DEVICES", "0"}, {"AWS_SECRET_ACCESS_KEY", "abc"}};
  BundleRequest request;
  request.report_text = "on secretbox for maria\n";
  request.report_json = "{}\n";
  request.texts = {{"/x/dmesg", "a line\n"},
                   {"/y/dmesg", "another\n"},
                   {"../../etc/passwd", "x\n"},
                   {"/z/secretbox-maria.log", "y\n"}};
  request.system = &system;
  const Bundle bundle = MakeBundle(request);
  EXPECT_EQ(bundle.bytes, MakeBundle(request).bytes);
  const std::string tar = Inflated(bundle.bytes);
  for (const char* gone : {"secretbox", "maria", "AWS_SECRET", "../"})
    EXPECT_EQ(tar.find(gone), std::string::npos) << gone;
  for (const char* kept : {"warpscope-bundle/report.txt", "on host1 for user1", "files/dmesg.2", "files/passwd",
                           "files/host1-user1.log", "CUDA_VISIBLE_DEVICES=0", "580.95.05"})
    EXPECT_NE(tar.find(kept), std::string::npos) << kept;
}

TEST(Bundle, LinesOfGpus) {
  EXPECT_EQ(GpuLines("usb 1-1: new device\nNVRM: Xid 79\nsshd: login of someone\npcieport 0000:00:01.0: AER: x\n"),
            "NVRM: Xid 79\npcieport 0000:00:01.0: AER: x\n");
}

}  // namespace
}  // namespace warpscope::doctor
