// The hash, channels, stores, and what strangers get.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <csignal>
#include <fstream>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "axle/core/strings.h"
#include "axle/distributed/engine/channel.h"
#include "axle/distributed/engine/sha256.h"
#include "axle/distributed/engine/sockets.h"
#include "axle/distributed/engine/stores.h"
#include "tests/distributed/processes.h"

namespace axle {
namespace {

std::string HashOf(std::string_view text) {
  Sha256 hash;
  hash.Add(text);
  const Digest digest = hash.Finish();
  return HexText({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

// The examples of FIPS 180-4, and lengths around a block, whose sums sha256sum gives.
TEST(Secrets, Sha256) {
  EXPECT_EQ(HashOf("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(HashOf(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(HashOf("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(HashOf(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  EXPECT_EQ(HashOf(std::string(64, 'a')),
            "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
}

// Test cases 1, 2 and 6 of RFC 4231.
TEST(Secrets, Hmac) {
  EXPECT_EQ(HexText(Hmac(std::string(20, '\x0b'), "Hi There")),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(HexText(Hmac("Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(HexText(Hmac(std::string(131, '\xaa'),
                         "Test Using Larger Than Block-Size Key - Hash Key First")),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

// Two channels over a pair of sockets. What one writes may be changed on its way.
struct ChannelPair {
  ChannelPair(const std::string& secret, const std::string& other_secret,
              const std::string& job = "j", const std::string& other_job = "j") {
    int ends[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
    one = std::make_unique<Channel>(Descriptor(ends[0]), Channel::Side::kConnects, secret, job);
    two = std::make_unique<Channel>(Descriptor(ends[1]), Channel::Side::kAccepts, other_secret,
                                    other_job);
  }
  void Pump() {
    for (int i = 0; i < 5; ++i) {
      if (first.ok()) first = one->Pump();
      if (second.ok()) second = two->Pump();
    }
  }
  std::unique_ptr<Channel> one, two;
  Status first, second;
};

TEST(Secrets, ChannelsOpen) {
  ChannelPair pair("s", "s");
  pair.one->Queue(7, "early");
  pair.Pump();
  ASSERT_TRUE(pair.one->is_open() && pair.two->is_open());
  EXPECT_EQ(pair.one->session_key(), pair.two->session_key());
  EXPECT_EQ(pair.one->session_key().size(), kDigestBytes);
  pair.two->Queue(8, std::string(100000, 'x'));
  for (int i = 0; i < 50; ++i) pair.Pump();
  Channel::Frame frame;
  ASSERT_TRUE(pair.two->Take(frame));
  EXPECT_EQ(frame.type, 7);
  EXPECT_EQ(frame.bytes, "early");
  ASSERT_TRUE(pair.one->Take(frame));
  EXPECT_EQ(frame.bytes, std::string(100000, 'x'));
  EXPECT_FALSE(pair.one->Take(frame));
}

TEST(Secrets, ChannelsOfOtherSecretsAndJobsStayClosed) {
  for (ChannelPair& pair : std::array{ChannelPair("s", "t"), ChannelPair("s", "s", "j", "k")}) {
    pair.Pump();
    EXPECT_EQ(pair.first.ToString(),
              "PERMISSION_DENIED: the other side has another secret or belongs to another job");
    EXPECT_FALSE(pair.one->is_open() || pair.two->is_open());
  }
}

// A recorded connection is of no use later, and a changed frame is found.
TEST(Secrets, ChannelsRefuseWhatWasRecordedOrChanged) {
  int ends[2], others[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, others), 0);
  Channel one(Descriptor(ends[0]), Channel::Side::kConnects, "s", "j");
  Channel two(Descriptor(others[0]), Channel::Side::kAccepts, "s", "j");
  std::string recorded;
  bool changes = false;
  const auto carry = [&](int from, int to, bool records) {
    std::array<char, 4096> bytes;
    const ssize_t got = recv(from, bytes.data(), bytes.size(), 0);
    if (got <= 0) return;
    if (records) recorded.append(bytes.data(), static_cast<size_t>(got));
    if (changes) bytes[static_cast<size_t>(got) - 1] ^= 1;
    EXPECT_EQ(send(to, bytes.data(), static_cast<size_t>(got), 0), got);
  };
  const auto turn = [&]() -> Status {
    EXPECT_TRUE(one.Pump().ok());
    carry(ends[1], others[1], true);
    Status status = two.Pump();
    if (status.ok()) status = two.Pump();  // writes what it has answered
    carry(others[1], ends[1], false);
    return status;
  };
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(turn().ok());
  ASSERT_TRUE(one.is_open() && two.is_open());
  one.Queue(1, "a frame");
  EXPECT_TRUE(turn().ok());
  Channel::Frame frame;
  ASSERT_TRUE(two.Take(frame));
  EXPECT_EQ(frame.bytes, "a frame");
  // The same frame again has another number, and so another code.
  changes = true;
  one.Queue(1, "a frame");
  EXPECT_EQ(turn().ToString(), "PERMISSION_DENIED: a frame on the connection was changed");
  EXPECT_FALSE(two.Take(frame));
  // The whole conversation once more, to another channel.
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
  Channel again(Descriptor(ends[0]), Channel::Side::kAccepts, "s", "j");
  EXPECT_EQ(send(ends[1], recorded.data(), recorded.size(), 0),
            static_cast<ssize_t>(recorded.size()));
  Status status = again.Pump();
  if (status.ok()) status = again.Pump();
  EXPECT_EQ(status.ToString(),
            "PERMISSION_DENIED: the other side has another secret or belongs to another job");
  close(ends[1]);
  close(others[1]);
}

TEST(Secrets, ChannelsRefuseRubbish) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
  Channel channel(Descriptor(ends[0]), Channel::Side::kAccepts, "s", "j");
  ASSERT_EQ(send(ends[1], "GET / HTTP/1.1\r\n", 16, 0), 16);
  EXPECT_EQ(channel.Pump().ToString(), "PERMISSION_DENIED: the other side is no process of axle");
  close(ends[1]);
}

// A store in memory, which a test may look into.
struct OpenStore {
  std::map<std::string, std::string, std::less<>> values;
  KeyValueCallbacks callbacks() {
    return {.put =
                [this](std::string_view key, std::string_view value) {
                  values[std::string(key)] = value;
                  return Status();
                },
            .try_get = [this](std::string_view key) -> StatusOr<std::string> {
              const auto found = values.find(key);
              if (found == values.end()) return NotFound("no such key");
              return found->second;
            }};
  }
};

TEST(Secrets, SignedValues) {
  OpenStore open;
  const auto store = SignedStore(StoreOfCallbacks(open.callbacks()), "s", "j");
  EXPECT_FALSE(store->TryGet("a")->has_value());
  ASSERT_TRUE(store->Set("a", "one").ok());
  ASSERT_TRUE(store->Set("b", "").ok());
  EXPECT_EQ(*store->Get("a", 1), "one");
  EXPECT_EQ(*store->Get("b", 1), "");
  const auto refused = [](std::string_view key) {
    return StrCat("PERMISSION_DENIED: rendezvous: the value of \"", key,
                  "\" is from somebody who has another secret or belongs to another job");
  };
  // The value of another key, of another job, with another secret, changed, and cut off.
  open.values["b"] = open.values["a"];
  EXPECT_EQ(store->TryGet("b").status().ToString(), refused("b"));
  const auto of_other_job = SignedStore(StoreOfCallbacks(open.callbacks()), "s", "k");
  EXPECT_EQ(of_other_job->TryGet("a").status().ToString(), refused("a"));
  const auto of_stranger = SignedStore(StoreOfCallbacks(open.callbacks()), "t", "j");
  EXPECT_EQ(of_stranger->TryGet("a").status().ToString(), refused("a"));
  open.values["a"].back() ^= 1;
  EXPECT_EQ(store->TryGet("a").status().ToString(), refused("a"));
  open.values["a"] = "x";
  EXPECT_EQ(store->TryGet("a").status().ToString(), refused("a"));
}

TEST(Secrets, GetHasALimit) {
  OpenStore open;
  const auto store = StoreOfCallbacks(open.callbacks());
  EXPECT_EQ(store->Get("a\n", 0.05).status().ToString(),
            "DEADLINE_EXCEEDED: rendezvous: nobody has set \"a?\" within 0.05 s");
  Limits limits;
  limits.Cancel();
  EXPECT_EQ(store->Get("a", 100, &limits).status().code(), StatusCode::kCancelled);
}

TEST(Stores, FolderOfFiles) {
  TestJob job;
  const std::string folder = job.folder() + "/store";
  std::string first, second;
  {
    auto one = OpenFileStore(folder, "secret", &first);
    ASSERT_TRUE(one.ok()) << one.status().ToString();
    auto two = OpenFileStore(folder, "secret", &second);
    ASSERT_TRUE(two.ok());
    EXPECT_EQ(first.size(), 2 * kDigestBytes);
    EXPECT_EQ(first, second);
    struct stat about = {};
    ASSERT_EQ(stat(folder.c_str(), &about), 0);
    EXPECT_EQ(about.st_mode & 0777, 0700U);
    ASSERT_TRUE((*one)->Set("a/b c", "1").ok());
    ASSERT_TRUE((*one)->Set("a/b c", "2").ok());
    EXPECT_EQ(*(*two)->Get("a/b c", 1), "2");
    EXPECT_FALSE((*two)->TryGet("a/b")->has_value());
  }
  EXPECT_FALSE(std::ifstream(folder).good());
}

// Who leaves a job removes the folder, which others may be about to write to.
TEST(Stores, FolderThatOthersRemove) {
  TestJob job;
  const std::string folder = job.folder() + "/store";
  std::vector<std::string> failures(2);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < 2; ++t) {
    threads.emplace_back([&, t] {
      for (int turn = 0; turn < 1000 && failures[t].empty(); ++turn) {
        const auto store = OpenFileStore(folder);
        const Status status = store.ok() ? (*store)->Set(StrCat("key", t), "1") : store.status();
        if (!status.ok()) failures[t] = status.ToString();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, std::vector<std::string>(2));
}

TEST(Stores, SecretThatOthersCanRead) {
  TestJob job;
  const std::string path = job.folder() + "/secret";
  std::ofstream(path) << "known";
  chmod(path.c_str(), 0644);
  std::string secret;
  EXPECT_EQ(OpenFileStore(job.folder(), "secret", &secret).status().ToString(),
            StrCat("PERMISSION_DENIED: rendezvous: ", path,
                   " is not a file that only its owner, user ", geteuid(), ", can read"));
}

TEST(Stores, FullDiskAndNoFolder) {
  // A folder whose disk takes no bytes, where this test may make one.
  TestJob job;
  const std::string folder = job.folder() + "/full";
  mkdir(folder.c_str(), 0700);
  if (mount("none", folder.c_str(), "tmpfs", 0, "size=4k,nr_inodes=8") == 0) {
    std::ofstream(folder + "/x") << std::string(100000, 'x');
    {
      auto store = OpenFileStore(folder);
      ASSERT_TRUE(store.ok());
      const std::string text = (*store)->Set("a", std::string(10000, 'x')).ToString();
      EXPECT_TRUE(
          text.starts_with(StrCat("RESOURCE_EXHAUSTED: rendezvous: cannot write ", folder, "/a.")))
          << text;
      EXPECT_TRUE(text.ends_with(".new: No space left on device")) << text;
    }
    EXPECT_EQ(umount(folder.c_str()), 0);
  }
  EXPECT_EQ(OpenFileStore("/proc/axle").status().ToString(),
            "UNAVAILABLE: rendezvous: cannot make the folder /proc/axle: No such file or "
            "directory");
}

TEST(Stores, ServerOfProcess0) {
  int port = 0;
  auto server = ServeTcpStore("127.0.0.1:0", "s", "j", &port);
  ASSERT_TRUE(server.ok()) << server.status().ToString();
  const std::string address = StrCat("127.0.0.1:", port);
  auto client = OpenTcpStore(address, "s", "j", 5, nullptr);
  ASSERT_TRUE(client.ok()) << client.status().ToString();
  ASSERT_TRUE((*client)->Set("a", std::string("1\n2\0", 4)).ok());
  EXPECT_EQ(*(*server)->Get("a", 1), std::string("1\n2\0", 4));
  ASSERT_TRUE((*server)->Set("b", "").ok());
  EXPECT_EQ(*(*client)->Get("b", 1), "");
  EXPECT_FALSE((*client)->TryGet("c")->has_value());
  // Another secret.
  EXPECT_EQ(OpenTcpStore(address, "t", "j", 5, nullptr).status().ToString(),
            StrCat("PERMISSION_DENIED: rendezvous: the store of process 0 at ", address,
                   ": the other side has another secret or belongs to another job"));
  // Strangers that say something, and that say nothing, hold nobody up.
  std::vector<Descriptor> strangers;
  for (int i = 0; i < 70; ++i) {
    auto stranger = BeginConnect({"127.0.0.1", port});
    ASSERT_TRUE(stranger.ok());
    if (i % 2 == 0) {
      pollfd polled = {stranger->get(), POLLOUT, 0};
      poll(&polled, 1, 1000);
      send(stranger->get(), "rubbish\n", 8, MSG_NOSIGNAL);
    }
    strangers.push_back(*std::move(stranger));
  }
  auto late = OpenTcpStore(address, "s", "j", 10, nullptr);
  ASSERT_TRUE(late.ok()) << late.status().ToString();
  EXPECT_EQ(*(*late)->Get("b", 1), "");
  server->reset();
  EXPECT_EQ((*late)->Set("a", "").ToString(),
            StrCat("UNAVAILABLE: rendezvous: the store of process 0 at ", address,
                   ": its connection was closed"));
}

TEST(Stores, NoServer) {
  const std::string address = StrCat("127.0.0.1:", FreePort());
  EXPECT_EQ(OpenTcpStore(address, "s", "j", 0.2, nullptr).status().ToString(),
            StrCat("DEADLINE_EXCEEDED: rendezvous: the store of process 0 at ", address,
                   ": cannot connect to ", address, ": Connection refused; tried for 0.2 s"));
  EXPECT_EQ(OpenTcpStore("nowhere", "s", "j", 1, nullptr).status().ToString(),
            "INVALID_ARGUMENT: \"nowhere\" is not HOST:PORT");
}

class Strangers : public testing::Test {
 protected:
  void SetUp() override {
    if (!HasTransport("gloo")) GTEST_SKIP() << "built without Gloo";
  }
  TestJob job_;
};

TEST_F(Strangers, AnotherSecret) {
  job_.environment()["AXLE_JOB_SECRET"] = "one";
  TestProcess zero = job_.Start(0, 2, "leave connect_limit=5");
  ASSERT_FALSE(zero.WaitForText("connected", 0.5));
  job_.environment()["AXLE_JOB_SECRET"] = "two";
  TestProcess one = job_.Start(1, 2, "leave connect_limit=30");
  EXPECT_EQ(one.WaitForEnd(15), 1) << one.output();
  EXPECT_EQ(one.LastLine(),
            "PERMISSION_DENIED: connect: process 0: rendezvous: the value of "
            "\"axle//0/process/0\" is from somebody who has another secret or belongs to another "
            "job");
  EXPECT_EQ(zero.WaitForEnd(15), 1) << zero.output();
  EXPECT_EQ(zero.LastLine(), "DEADLINE_EXCEEDED: connect: process 1 has not come within 5 s");
}

// What an earlier job has left is no obstacle: its values have another secret.
TEST_F(Strangers, ValuesOfAnEarlierJob) {
  job_.environment()["AXLE_JOB_SECRET"] = "one";
  {
    TestProcess killed = job_.Start(0, 2, "leave");
    ASSERT_FALSE(killed.WaitForText("connected", 0.5));
    killed.Signal(SIGKILL);
    killed.WaitForEnd();
  }
  EXPECT_NE(job_.LeftInFolder(), "no folder");
  job_.environment()["AXLE_JOB_SECRET"] = "two";
  TestProcess one = job_.Start(1, 2, "leave");
  ASSERT_FALSE(one.WaitForText("connected", 0.5));
  TestProcess zero = job_.Start(0, 2, "leave");
  EXPECT_EQ(zero.WaitForEnd(), 0) << zero.output();
  EXPECT_EQ(one.WaitForEnd(), 0) << one.output();
  EXPECT_EQ(job_.LeftInFolder(), "no folder");
}

TEST_F(Strangers, RubbishAtThePortOfAProcess) {
  TestProcess zero = job_.Start(0, 2, "leave");
  ASSERT_FALSE(zero.WaitForText("connected", 0.5));
  // Its address is readable for us; the value itself is signed.
  std::ifstream file(job_.folder() + "/rendezvous/axle.2f.2f0.2fprocess.2f0");
  std::string value((std::istreambuf_iterator<char>(file)), {});
  ASSERT_GT(value.size(), kDigestBytes);
  const std::string rest = value.substr(kDigestBytes);
  const size_t line = rest.find('\n');
  const int port = std::atoi(rest.c_str() + line + 1);
  std::vector<Descriptor> strangers;
  for (int i = 0; i < 20; ++i) {
    auto stranger = BeginConnect({rest.substr(0, line), port});
    ASSERT_TRUE(stranger.ok()) << stranger.status().ToString();
    pollfd polled = {stranger->get(), POLLOUT, 0};
    poll(&polled, 1, 1000);
    if (i % 2 == 0) send(stranger->get(), "axle-joxrubbish", 15, MSG_NOSIGNAL);
    strangers.push_back(*std::move(stranger));
  }
  TestProcess one = job_.Start(1, 2, "leave");
  EXPECT_EQ(zero.WaitForEnd(), 0) << zero.output();
  EXPECT_EQ(one.WaitForEnd(), 0) << one.output();
}

TEST_F(Strangers, NoSecretAtAnOpenAddress) {
  job_.environment()["AXLE_LISTEN_ADDRESS"] = "0.0.0.0";
  job_.environment()["AXLE_RENDEZVOUS"] = StrCat("tcp://127.0.0.1:", FreePort());
  TestProcess zero = job_.Start(0, 2, "leave");
  EXPECT_EQ(zero.WaitForEnd(), 1);
  EXPECT_EQ(zero.LastLine(),
            "FAILED_PRECONDITION: connect: this process listens at 0.0.0.0 and the job has no "
            "secret: set AXLE_JOB_SECRET to the same text everywhere, or allow_no_secret if nobody "
            "else reaches that address");
}

TEST_F(Strangers, WrongRendezvous) {
  for (const char* rendezvous : {"tcp://nowhere", "file://relative", "http://a:1"}) {
    job_.environment()["AXLE_RENDEZVOUS"] = rendezvous;
    TestProcess process = job_.Start(0, 2, "leave connect_limit=1");
    EXPECT_EQ(process.WaitForEnd(), 1);
    EXPECT_EQ(process.LastLine(), StrCat("INVALID_ARGUMENT: connect: rendezvous is \"", rendezvous,
                                         "\", must be file:///FOLDER or tcp://HOST:PORT"));
  }
}

}  // namespace
}  // namespace axle
