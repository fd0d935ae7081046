#include "simulate/cache.hpp"

namespace lares::simulate {

Caches::Caches(std::size_t domains, double bytes, const std::vector<Block>& blocks)
    : bytes_(bytes),
      blocks_(blocks),
      versions_(blocks.size(), 0),
      owners_(blocks.size()),
      caches_(domains) {
  if (bytes <= 0) return;
  for (Cache& cache : caches_) cache.lines.resize(blocks.size());
}

void Caches::unlink(Cache& cache, std::uint32_t block) {
  const Line& line = cache.lines[block];
  (line.newer == none ? cache.newest : cache.lines[line.newer].older) = line.older;
  (line.older == none ? cache.oldest : cache.lines[line.older].newer) = line.newer;
}

void Caches::link(Cache& cache, std::uint32_t block) {
  Line& line = cache.lines[block];
  line.newer = none;
  line.older = cache.newest;
  (cache.newest == none ? cache.oldest : cache.lines[cache.newest].newer) = block;
  cache.newest = block;
}

Caches::Source Caches::find(DomainId domain, BlockIndex block) const {
  const Line& line = caches_[domain.index()].lines[block];
  if (line.present && line.version == versions_[block]) return Source::own_cache;
  return owners_[block].valid() ? Source::other_cache : Source::memory;
}

Caches::Source Caches::read_part(DomainId domain, BlockIndex block) const {
  return bytes_ > 0 ? find(domain, block) : Source::memory;
}

Caches::Source Caches::use(DomainId domain, BlockIndex block, bool writes) {
  const auto size = static_cast<double>(blocks_[block].bytes.count);
  if (bytes_ <= 0 || size > bytes_) return Source::memory;
  Cache& cache = caches_[domain.index()];
  Line& line = cache.lines[block];
  const Source source = find(domain, block);
  if (writes) {
    ++versions_[block];
    owners_[block] = domain;
  }
  if (line.present) {
    unlink(cache, block);
  } else {
    cache.used += size;
    line.present = true;
  }
  line.version = versions_[block];
  link(cache, block);
  make_room(domain);
  return source;
}

void Caches::make_room(DomainId domain) {
  Cache& cache = caches_[domain.index()];
  while (cache.used > bytes_) {
    const std::uint32_t victim = cache.oldest;
    unlink(cache, victim);
    cache.lines[victim].present = false;
    if (owners_[victim] == domain) owners_[victim] = {};
    cache.used -= static_cast<double>(blocks_[victim].bytes.count);
  }
}

}  // namespace lares::simulate
