// Groups of f16 as f32 and back: gcc 12 does not vectorise these conversions of _Float16.
#include <stdint.h>

#if defined(__AVX512F__)
#include <immintrin.h>
enum { GROUP = 16 };
typedef __m512 floats;

static inline floats widen(const uint16_t *from) {
    return _mm512_cvtph_ps(_mm256_load_si256((const __m256i *)from));
}

static inline void narrow(uint16_t *to, floats value) {
    _mm256_store_si256((__m256i *)to, _mm512_cvtps_ph(value, _MM_FROUND_TO_NEAREST_INT));
}

// The value rounded to f16.
static inline floats rounded(floats value) {
    return _mm512_cvtph_ps(_mm512_cvtps_ph(value, _MM_FROUND_TO_NEAREST_INT));
}

// The value as i8, to nearest even, saturated, NaN to 0.
static inline void quantise(int8_t *to, floats value) {
    __mmask16 numbers = _mm512_cmp_ps_mask(value, value, _CMP_ORD_Q);
    // An infinity has no i32; below, the packing saturates.
    value = _mm512_min_ps(value, _mm512_set1_ps(127.0f));
    __m512i whole = _mm512_maskz_cvtps_epi32(numbers, value);
    _mm_store_si128((__m128i *)to, _mm512_cvtsepi32_epi8(whole));
}
#elif defined(__F16C__)
#include <immintrin.h>
enum { GROUP = 8 };
typedef __m256 floats;

static inline floats widen(const uint16_t *from) {
    return _mm256_cvtph_ps(_mm_load_si128((const __m128i *)from));
}

static inline void narrow(uint16_t *to, floats value) {
    _mm_store_si128((__m128i *)to, _mm256_cvtps_ph(value, _MM_FROUND_TO_NEAREST_INT));
}

static inline floats rounded(floats value) {
    return _mm256_cvtph_ps(_mm256_cvtps_ph(value, _MM_FROUND_TO_NEAREST_INT));
}

static inline void quantise(int8_t *to, floats value) {
    __m256 numbers = _mm256_cmp_ps(value, value, _CMP_ORD_Q);
    value = _mm256_min_ps(_mm256_and_ps(value, numbers), _mm256_set1_ps(127.0f));
    __m256i whole = _mm256_cvtps_epi32(value);
    __m128i low = _mm256_castsi256_si128(whole), high = _mm256_extractf128_si256(whole, 1);
    __m128i words = _mm_packs_epi32(low, high);
    _mm_storel_epi64((__m128i *)to, _mm_packs_epi16(words, words));
}
#else
#include <math.h>
#include <string.h>
enum { GROUP = 1 };
typedef float floats;

static inline floats rounded(floats value) { return (_Float16)value; }

static inline floats widen(const uint16_t *from) {
    _Float16 value;
    memcpy(&value, from, sizeof value);
    return value;
}

static inline void narrow(uint16_t *to, floats value) {
    _Float16 result = (_Float16)value;
    memcpy(to, &result, sizeof result);
}

static inline void quantise(int8_t *to, floats value) {
    value = value == value ? value : 0.0f;
    value = value > -128.0f ? value : -128.0f;
    value = value < 127.0f ? value : 127.0f;
    *to = (int8_t)rintf(value);
}
#endif
