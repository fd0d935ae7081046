// The wire between the host and the guest's first process: frames on one virtio-serial port.
//
// A frame is a channel (1 byte), the length of its payload (4 bytes), and the payload. Numbers are
// little-endian, as both ends are x86-64. C and C++ read this file.
#ifndef LARES_LAB_PROTOCOL_H
#define LARES_LAB_PROTOCOL_H

#include <stdint.h>

/// The port's name, as the guest finds it in /sys/class/virtio-ports.
#define LAB_PORT_NAME "lares.wire"

/// Where the image keeps init, for the kernel's argument rdinit=.
#define LAB_INIT_PATH "/.lares/init"
/// Where the image lists the kernel modules that init loads: paths, one a line, in this order.
#define LAB_MODULE_LIST "/.lares/modules"

enum {
  LAB_HEADER_BYTES = 5,
  LAB_PAYLOAD_LIMIT = 1 << 16,  ///< of every frame but LAB_JOB
  LAB_JOB_LIMIT = 64 << 20,
  /// Standard input that the host sends before the program took any: as much as a pipe holds.
  LAB_INPUT_WINDOW = 1 << 16,
};

/// Channels from the guest to the host.
enum {
  LAB_STATE = 1,        ///< u8: one of the states below
  LAB_STDOUT = 2,       ///< bytes
  LAB_STDERR = 3,       ///< bytes
  LAB_INPUT_TAKEN = 4,  ///< u32: so many more bytes of standard input went to the program
  LAB_FILE_BEGIN = 5,   ///< u32 number among the job's outputs, u32 errno or 0, u32 mode
  LAB_FILE_DATA = 6,    ///< bytes of the file that began last
  LAB_FILE_END = 7,     ///< u32 errno or 0
  LAB_EXIT = 8,         ///< u8 kind, u32 value, u32 processes killed for lack of memory; the last.
                        ///< The host then ends QEMU
  LAB_PONG = 9,         ///< answers LAB_PING
};

/// Channels from the host to the guest.
enum {
  LAB_JOB = 64,        ///< what to run; see below. The first frame
  LAB_STDIN = 65,      ///< bytes
  LAB_STDIN_END = 66,  ///< no more of them
  LAB_SIGNAL = 67,     ///< u8 signal, u8 1: to the program's whole group
  LAB_WINDOW = 68,     ///< u16 rows, u16 columns of the terminal
  LAB_CLOSE = 69,      ///< u8 LAB_STDOUT or LAB_STDERR: nobody reads it any more
  LAB_PING = 70,       ///< nothing
};

/// Values of LAB_STATE.
enum {
  LAB_READY = 1,    ///< waits for the job
  LAB_STARTED = 2,  ///< the program's file is being executed
};

/// Kinds of LAB_EXIT.
enum {
  LAB_ENDED = 1,        ///< value: the status of waitpid
  LAB_NOT_STARTED = 2,  ///< value: the errno of execve
  LAB_NO_FOLDER = 3,    ///< value: the errno of chdir to the job's folder
};

/// Flags of the job.
enum {
  LAB_TERMINAL = 1,      ///< standard input and output are a terminal
  LAB_STDERR_APART = 2,  ///< standard error is neither the terminal nor the same as standard output
};

// The payload of LAB_JOB: u32 flags, u16 rows, u16 columns, u32 umask, u64 seconds and u32
// nanoseconds since 1970, u64 soft and u64 hard limit of the stack, u64 soft and u64 hard limit of
// open files; then the working directory and the program's file; then four lists: arguments,
// environment, folders to make, output files. A string ends with a zero byte; a list is a u32 count
// and its strings.

#endif
