#include "core/sha256.hpp"

#include <openssl/evp.h>

#include <array>
#include <charconv>
#include <new>

namespace dcpbench::core {

namespace {
constexpr std::size_t kBufferBytes = 1 << 16;
EVP_MD_CTX* as_context(void* context) { return static_cast<EVP_MD_CTX*>(context); }
}  // namespace

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  if (context_ == nullptr) throw std::bad_alloc();
  EVP_DigestInit_ex(as_context(context_), EVP_sha256(), nullptr);
  buffer_.reserve(kBufferBytes);
}

Sha256::~Sha256() { EVP_MD_CTX_free(as_context(context_)); }

void Sha256::add(std::string_view text) {
  buffer_.append(text);
  if (buffer_.size() >= kBufferBytes) flush();
}

void Sha256::add(std::int64_t number) {
  std::array<char, 24> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size() - 1, number).ptr;
  *end = ' ';
  add(std::string_view(digits.data(), static_cast<std::size_t>(end - digits.data()) + 1));
}

std::string Sha256::finish() {
  flush();
  std::array<unsigned char, EVP_MAX_MD_SIZE> hash;
  unsigned int size = 0;
  EVP_DigestFinal_ex(as_context(context_), hash.data(), &size);
  static constexpr std::string_view kHex = "0123456789abcdef";
  std::string text;
  text.reserve(size_t{2} * size);
  for (unsigned int i = 0; i < size; ++i) {
    text += kHex[hash[i] >> 4];
    text += kHex[hash[i] & 15];
  }
  return text;
}

void Sha256::flush() {
  EVP_DigestUpdate(as_context(context_), buffer_.data(), buffer_.size());
  buffer_.clear();
}

}  // namespace dcpbench::core
