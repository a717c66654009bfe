#include "datasets/preset_tables.hpp"

#include <array>

namespace dcpbench::datasets {

namespace {

// Each table: scripts/make_histogram.py --bins 32 --format cpp on the lengths of the source named
// with the preset below. {mean length of the bin, number of lengths}; empty bins are left out.

// clang-format off
constexpr std::array<LengthCount, 31> kWeb = {{
    {3, 1}, {6, 3}, {8, 3}, {11, 9}, {16, 10}, {22, 57},
    {32, 142}, {45, 398}, {64, 1048}, {90, 2351}, {128, 2516}, {181, 2573},
    {259, 2560}, {373, 2735}, {521, 2667}, {754, 1896}, {1069, 1747}, {1530, 1369},
    {2168, 993}, {3103, 719}, {4413, 484}, {6362, 281}, {9166, 187}, {13034, 103},
    {18260, 67}, {25427, 40}, {37434, 20}, {50275, 11}, {81047, 7}, {119284, 2},
    {269428, 1},
}};

constexpr std::array<LengthCount, 30> kChat = {{
    {68, 3}, {86, 4}, {97, 19}, {111, 71}, {134, 131}, {162, 92},
    {191, 96}, {227, 83}, {271, 419}, {320, 672}, {374, 842}, {452, 1878},
    {512, 3192}, {603, 150}, {750, 98}, {878, 173}, {1029, 401}, {1242, 427},
    {1472, 6078}, {1661, 1472}, {2033, 429}, {2403, 438}, {2785, 381}, {3339, 125},
    {4137, 1535}, {4726, 81}, {5533, 49}, {6431, 20}, {7447, 6}, {14089, 1},
}};

constexpr std::array<LengthCount, 32> kCode = {{
    {13, 2}, {16, 6}, {20, 21}, {25, 21}, {30, 35}, {37, 23},
    {44, 44}, {56, 61}, {67, 79}, {83, 112}, {102, 184}, {122, 122},
    {153, 178}, {187, 205}, {227, 190}, {278, 191}, {342, 176}, {413, 210},
    {514, 233}, {622, 292}, {769, 364}, {941, 539}, {1131, 639}, {1405, 598},
    {1724, 686}, {2114, 739}, {2570, 761}, {3128, 519}, {3832, 402}, {4658, 308},
    {5876, 296}, {7290, 583},
}};

constexpr std::array<LengthCount, 32> kLongDoc = {{
    {958, 405}, {1134, 425}, {1320, 602}, {1529, 490}, {1803, 376}, {2102, 367},
    {2446, 310}, {2862, 298}, {3338, 319}, {3923, 345}, {4564, 541}, {5296, 641},
    {6199, 583}, {7225, 586}, {8469, 603}, {9860, 622}, {11551, 585}, {13474, 606},
    {15698, 639}, {18293, 582}, {21271, 432}, {24982, 399}, {28984, 349}, {33618, 235},
    {39777, 169}, {46044, 107}, {53385, 102}, {63461, 88}, {73447, 81}, {86092, 45},
    {98036, 43}, {117543, 56},
}};

// clang-format on

constexpr std::array<RealPreset, 4> kPresets = {{
    {"web", "documents of an encyclopedia: many short ones, few very long ones",
     "histogram (31 bins of 25,000 lengths, 25,535,239 tokens) of Wikipedia document lengths as "
     "used by "
     "FlexSP (Hetu-Galvatron repository, Apache-2.0)",
     kWeb},
    {"chat", "conversation requests, prompt and answer",
     "histogram (30 bins of 19,366 lengths, 26,450,535 tokens) of the Azure LLM inference trace "
     "2023, "
     "conversation (Azure/AzurePublicDataset, CC-BY 4.0), context + generated tokens",
     kChat},
    {"code", "code completion requests, prompt and answer",
     "histogram (32 bins of 8,819 lengths, 18,305,870 tokens) of the Azure LLM inference trace "
     "2023, code "
     "(Azure/AzurePublicDataset, CC-BY 4.0), context + generated tokens",
     kCode},
    {"longdoc", "conversations with long documents, input and output",
     "histogram (32 bins of 12,031 lengths, 148,915,871 tokens) of the Mooncake conversation trace "
     "(FAST'25, kvcache-ai/Mooncake, Apache-2.0), input + output tokens",
     kLongDoc},
}};

}  // namespace

std::span<const RealPreset> real_presets() { return kPresets; }

}  // namespace dcpbench::datasets
