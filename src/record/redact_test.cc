#include "record/redact.h"

#include <gtest/gtest.h>

namespace warpscope::record {
namespace {

TEST(Redact, NamesOfSecrets) {
  for (const char* name :
       {"HF_TOKEN", "--api-key", "NVIDIA_API_KEY", "WANDB_API_KEY", "dbPassword", "AWS_SECRET_ACCESS_KEY",
        "AWS_ACCESS_KEY_ID", "MYTOKEN", "GIT_ASKPASS_PASSWORD", "license.key", "--auth", "AUTH_HEADER",
        "CLIENT_CREDENTIALS", "--passphrase", "PGPASSWORD", "--pwd"})
    EXPECT_TRUE(NamesSecret(name)) << name;
  for (const char* name : {"--tokenizer", "TOKENIZERS_PARALLELISM", "--max-tokens", "--num-key-value-heads", "--author",
                           "--passes", "CUDA_VISIBLE_DEVICES", "--lr", "--keys", "--bypass-cache", "NCCL_DEBUG", ""})
    EXPECT_FALSE(NamesSecret(name)) << name;
}

TEST(Redact, CommandLines) {
  EXPECT_EQ(RedactedCommand({"python", "train.py", "--lr", "0.1"}), "python train.py --lr 0.1");
  EXPECT_EQ(RedactedCommand({"serve", "--tokenizer", "gpt2"}), "serve --tokenizer gpt2");
  EXPECT_EQ(RedactedCommand({"serve", "--api-key", "abc", "--port", "1"}), "serve --api-key *** --port 1");
  EXPECT_EQ(RedactedCommand({"serve", "--hf_token=a b,c"}), "serve --hf_token=***");
  EXPECT_EQ(RedactedCommand({"env", "HF_TOKEN=abc", "python"}), "env HF_TOKEN=*** python");
  EXPECT_EQ(RedactedCommand({"get", "https://me:pass@host/x"}), "get https://***@host/x");
  EXPECT_EQ(RedactedCommand({"x", "--password", "-v"}), "x --password ***");  // a password may begin so
  EXPECT_EQ(RedactedCommand({"x", "--token", "", "abc", "y"}), "x --token  *** y");
  EXPECT_EQ(RedactedCommand({"curl", "-H", "Authorization: Bearer abc.def"}), "curl -H Authorization: ***");
  EXPECT_EQ(RedactedCommand({"curl", "-H", "Authorization: token abc"}), "curl -H Authorization: ***");
  EXPECT_EQ(RedactedCommand({"curl", "-u", "me:abc"}), "curl -u ***");
  EXPECT_EQ(RedactedCommand({"sh", "-c", "tool --password abc --lr 1"}), "sh -c tool --password *** --lr 1");
}

TEST(Redact, Values) {
  EXPECT_EQ(Redacted("redis://u:p@h:6379/0 and s3://bucket/x"), "redis://***@h:6379/0 and s3://bucket/x");
  EXPECT_EQ(Redacted(R"({"api_key": "abc", "n": 3})"), R"({"api_key": "***", "n": 3})");
  EXPECT_EQ(Redacted("https://h/p?token=abc&x=1"), "https://h/p?token=***&x=1");
  EXPECT_EQ(Redacted("use hf_abcdefghijklmnopqrstuv now"), "use *** now");
  EXPECT_EQ(Redacted("sk-short and task-sk-notakeynotakeynotakey"), "sk-short and task-sk-notakeynotakeynotakey");
  EXPECT_EQ(Redacted("max_split_size_mb:128,expandable_segments:True"),
            "max_split_size_mb:128,expandable_segments:True");
  EXPECT_EQ(Redacted("--api-key abc --port 1"), "--api-key *** --port 1");
  EXPECT_EQ(Redacted("X: BEARER abc"), "X: BEARER ***");
  EXPECT_EQ(Redacted(R"({"api_key" : "abc"})"), R"({"api_key" : "***"})");
  EXPECT_EQ(Redacted("{'password':['abc']}"), "{'password':['***']}");
  EXPECT_EQ(Redacted("https://h/x?sig=abc&X-Amz-Signature=abc&n=1"), "https://h/x?sig=***&X-Amz-Signature=***&n=1");
  EXPECT_EQ(Redacted("machine h login me password abc"), "machine h login me password ***");
  EXPECT_EQ(Redacted("-----BEGIN PRIVATE KEY----- abc"), "-----BEGIN PRIVATE KEY-----***");
  EXPECT_EQ(Redacted("a://"), "a://");
  EXPECT_EQ(Redacted("token="), "token=");
}

}  // namespace
}  // namespace warpscope::record
