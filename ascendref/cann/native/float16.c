/* The vendor's conversions of half-precision numbers, which saturate where IEEE's have infinities. */
#include <math.h>
#include <string.h>

#include "functions.h"

float native_aclFloat16ToFloat(aclFloat16 value)
{
    uint32_t exponent = value >> 10 & 0x1F, fraction = value & 0x3FF;
    /* the largest exponent is one like others: infinity becomes 65536 */
    float magnitude = exponent ? ldexpf((float)(0x400 | fraction), (int)exponent - 25)
                               : ldexpf((float)fraction, -24);
    return value & 0x8000 ? -magnitude : magnitude;
}

aclFloat16 native_aclFloatToFloat16(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
    float magnitude = fabsf(value);
    if (!(magnitude < 65504.0f)) return sign | 0x7BFF;
    if (magnitude < 0x1p-14f) /* exact multiples of the smallest number, after rounding to even */
        return sign | (uint16_t)rintf(magnitude * 0x1p24f);
    memcpy(&bits, &magnitude, sizeof bits);
    uint32_t rounded = bits + 0xFFF + (bits >> 13 & 1);
    return sign | (uint16_t)((rounded >> 13) - (112u << 10));
}
