// The guest's side of the wire: frames through the virtio-serial port.
//
// One frame at a time waits to be sent: who has more waits until wire_is_idle(). So a program whose
// output nobody reads is held up as it would be by a full pipe, and nothing grows without bound.
#ifndef LARES_LAB_INIT_WIRE_H
#define LARES_LAB_INIT_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct frame {
  uint8_t channel;
  uint32_t length;
  const unsigned char* payload;  ///< valid until the next wire_receive()
};

/// Waits for the port and opens it. Ends the guest if there is none.
void wire_open(void);

/// For poll(): readable means wire_fill(), writable wire_flush().
int wire_file(void);
bool wire_is_idle(void);

/// Room for the payload of the next frame, LAB_PAYLOAD_LIMIT bytes. Precondition: wire_is_idle().
unsigned char* wire_payload(void);
/// Sends what was put there.
void wire_commit(uint8_t channel, size_t length);
/// Sends a frame. Waits until it is idle first, and does not wait for its own delivery.
void wire_send(uint8_t channel, const void* payload, size_t length);
/// Sends what the port takes at once.
void wire_flush(void);
/// Waits until everything is sent.
void wire_drain(void);

/// Takes what has come. False if nothing had.
bool wire_fill(void);
/// The next whole frame, if there is one.
bool wire_receive(struct frame* frame);
/// Waits for a frame.
void wire_wait(struct frame* frame);

/// Numbers of a payload.
uint16_t get_u16(const unsigned char* at);
uint32_t get_u32(const unsigned char* at);
uint64_t get_u64(const unsigned char* at);

#endif
