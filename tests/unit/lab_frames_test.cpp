// The host's side of the wire, byte by byte.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lab/protocol/frames.hpp"

namespace lares::lab {
namespace {

using namespace std::string_literals;

TEST(LabFrames, AFrameIsItsChannelItsLengthAndItsPayload) {
  EXPECT_EQ(encode_frame(LAB_STDIN, "ab\0"s), "\x41\x03\0\0\0ab\0"s);
  EXPECT_EQ(encode_frame(LAB_PING), "\x46\0\0\0\0"s);
  EXPECT_EQ(encode_signal(15, true), "\x43\x02\0\0\0\x0f\x01"s);
  EXPECT_EQ(encode_window({0x102, 3}), "\x44\x04\0\0\0\x02\x01\x03\0"s);
  EXPECT_EQ(encode_close(LAB_STDERR), "\x45\x01\0\0\0\x03"s);
}

TEST(LabFrames, AJobCarriesEveryStringWithItsEnd) {
  Job job;
  job.folder = "/f";
  job.program = "./p";
  job.arguments = {"p", ""};
  const auto frame = encode_job(job);
  ASSERT_TRUE(frame);
  EXPECT_NE(frame->find("/f\0./p\0\x02\0\0\0p\0\0\0\0\0\0"s), std::string::npos);
}

TEST(LabFrames, AJobThatIsTooLargeIsRefused) {
  Job job;
  job.environment = {std::string(std::size_t{LAB_JOB_LIMIT}, 'x')};
  EXPECT_FALSE(encode_job(job));
}

TEST(LabFrames, FramesComeOutWhateverPiecesTheyCameIn) {
  const std::string bytes = encode_frame(LAB_STDOUT, "first") + encode_frame(LAB_PONG) +
                            encode_frame(LAB_STDERR, std::string(1000, 's'));
  for (const std::size_t step : {1U, 2U, 3U, 7U, 100U, 5000U}) {
    FrameReader reader;
    std::vector<std::pair<int, std::string>> got;
    for (std::size_t at = 0; at < bytes.size(); at += step) {
      reader.add(std::string_view(bytes).substr(at, step));
      while (const auto frame = reader.next()) got.emplace_back(frame->channel, frame->payload);
    }
    ASSERT_EQ(got.size(), 3U) << step;
    EXPECT_EQ(got[0], std::make_pair(int{LAB_STDOUT}, "first"s));
    EXPECT_EQ(got[1], std::make_pair(int{LAB_PONG}, ""s));
    EXPECT_EQ(got[2].second, std::string(1000, 's'));
    EXPECT_FALSE(reader.broken());
  }
}

TEST(LabFrames, WhatNoGuestSendsBreaksTheReader) {
  for (const std::string& bytes : {"\0\0\0\0\0"s, "\x40\0\0\0\0"s, "\x02\x01\0\x01\0"s}) {
    FrameReader reader;
    reader.add(bytes + encode_frame(LAB_PONG));
    EXPECT_FALSE(reader.next());
    EXPECT_TRUE(reader.broken());
  }
}

TEST(LabFrames, NumbersAreReadUpToTheEndOfThePayload) {
  const std::string bytes = "\x01\x02\x03\x04\x05\x06"s;  // outlives its reader
  PayloadReader payload(bytes);
  EXPECT_EQ(payload.u8(), 1U);
  EXPECT_EQ(payload.u32(), 0x05040302U);
  EXPECT_TRUE(payload.ok());
  EXPECT_EQ(payload.u32(), 0U);
  EXPECT_FALSE(payload.ok());
  EXPECT_EQ(payload.u8(), 0U);
}

}  // namespace
}  // namespace lares::lab
