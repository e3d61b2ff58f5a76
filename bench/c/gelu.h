// gelu(x) = x * Phi(x) by the polynomial of gelu.pto: 27 operations.
static inline float gelu_of(float x) {
    float c = x > -4.5f ? x : -4.5f;
    c = c < 4.5f ? c : 4.5f;
    float t = c * c;
    float p = t * 5.9541476e-14f + -7.9378604e-12f;
    p = p * t + 4.79058e-10f;
    p = p * t + -1.7441831e-08f;
    p = p * t + 4.3196502e-07f;
    p = p * t + -7.800352e-06f;
    p = p * t + 0.00010752348f;
    p = p * t + -0.0011627144f;
    p = p * t + 0.009928262f;
    p = p * t + -0.066448346f;
    p = p * t + 0.39892864f;
    float phi = p * c + 0.5f;
    phi = phi > 0.0f ? phi : 0.0f;
    return x * phi;
}
