/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions of version 1 of QEMU's plugin interface that the counter uses, as QEMU 7.2 offers
   them. Debian packs no header for it; this is a declaration of our own, with QEMU's names. */
#ifndef LARES_LAB_PLUGIN_QEMU_API_H
#define LARES_LAB_PLUGIN_QEMU_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LARES_QEMU_EXPORT __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_plugin_hwaddr;

/* NOLINTBEGIN(readability-identifier-naming): the names are QEMU's. */

/* What QEMU tells a plugin when it loads it. */
typedef struct qemu_info_t {
  const char* target_name;
  struct {
    int min;
    int cur;
  } version;
  bool system_emulation;
  struct { /* meaningful only with system_emulation */
    int smp_vcpus;
    int max_vcpus;
  } system;
} qemu_info_t;

enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS = 0 };
enum qemu_plugin_mem_rw { QEMU_PLUGIN_MEM_R = 1, QEMU_PLUGIN_MEM_W = 2, QEMU_PLUGIN_MEM_RW = 3 };

/* What a plugin defines. */
extern LARES_QEMU_EXPORT int qemu_plugin_version;
LARES_QEMU_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t* info, int argc,
                                          char** argv);

/* Translation of guest code, and calls placed in it. */
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
                                           void (*call)(qemu_plugin_id_t id,
                                                        struct qemu_plugin_tb* block));
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn* instruction,
                                      void (*call)(unsigned int vcpu, qemu_plugin_meminfo_t info,
                                                   uint64_t address, void* user),
                                      enum qemu_plugin_cb_flags flags, enum qemu_plugin_mem_rw rw,
                                      void* user);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn* instruction,
                                            void (*call)(unsigned int vcpu, void* user),
                                            enum qemu_plugin_cb_flags flags, void* user);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id,
                                    void (*call)(qemu_plugin_id_t id, void* user), void* user);

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb* block);
struct qemu_plugin_insn* qemu_plugin_tb_get_insn(const struct qemu_plugin_tb* block, size_t index);
const void* qemu_plugin_insn_data(const struct qemu_plugin_insn* instruction);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn* instruction);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn* instruction);

/* One access to memory; to be asked only within the call that it was passed to. */
unsigned int qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info);
struct qemu_plugin_hwaddr* qemu_plugin_get_hwaddr(qemu_plugin_meminfo_t info, uint64_t address);
bool qemu_plugin_hwaddr_is_io(const struct qemu_plugin_hwaddr* address);
uint64_t qemu_plugin_hwaddr_phys_addr(const struct qemu_plugin_hwaddr* address);
/* NOLINTEND(readability-identifier-naming) */

#ifdef __cplusplus
}
#endif

#endif /* LARES_LAB_PLUGIN_QEMU_API_H */
