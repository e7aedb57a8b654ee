#!/usr/bin/env python3
"""Writes a Kineto trace of a made-up training loop of about N events, no two alike in time.

    bench/make_loop.py OUT.json EVENTS

Unlike bench/make_trace.py, which repeats a recording to the byte, durations and gaps wobble, so that packed sizes are
those of recordings. Operators nest three deep below Python frames; one event in four is device work. The same N gives the same
bytes.
"""
import random
import sys

MODULES = [f"nn.Module: Block_{i}" for i in range(24)]
OPS = [("aten::linear", "aten::addmm"), ("aten::layer_norm", "aten::native_layer_norm"), ("aten::gelu", "aten::gelu_"),
       ("aten::scaled_dot_product_attention", "aten::_flash_attention_forward"), ("aten::add", "aten::add_"),
       ("aten::dropout", "aten::native_dropout")]
KERNELS = ["void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul> >"
           "(int, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul>)",
           "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_segment_k_off_kernel",
           "void flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4, false, false, cutlass::bfloat16_t> >(Params)",
           "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float, float>(int, float, float const*)"]
PER_LAYER = 1 + 6 * 4  # a frame; two operators, a call and a kernel each


def events(count):
    chance = random.Random(count)
    now, device, correlation = 1000.0, 1000.0, 1

    def span(name, category, begin, length, tid, more=""):
        return (f'{{"ph":"X","cat":"{category}","name":"{name}","pid":{0 if tid == 7 else 100},"tid":{tid},'
                f'"ts":{begin:.3f},"dur":{length:.3f},"args":{{{more}}}}}')

    layers_per_step = 48
    for layer in range(max(1, count // PER_LAYER)):
        if layer % layers_per_step == 0:
            yield span(f"ProfilerStep#{layer // layers_per_step}", "user_annotation", now,
                       layers_per_step * 6 * 22.0, 1)
            now += 5
        frame = now
        inner = []
        for outer, core in OPS:
            begin = now
            call = begin + 2 + chance.expovariate(0.5)
            length = 3 + chance.expovariate(0.4)
            device = max(device + chance.uniform(0.5, 1.5), call + 4)
            took = chance.lognormvariate(2.2, 0.9)
            rows = 1 << chance.randrange(4, 10)
            inner.append(span(outer, "cpu_op", begin, call + length + 1.5 - begin, 1,
                              f'"External id":{correlation},"Input Dims":[[{rows},512],[512,512]],"Input type":["float","float"]'))
            inner.append(span(core, "cpu_op", begin + 0.5, call + length + 0.5 - begin, 1, f'"External id":{correlation + 1}'))
            inner.append(span("cudaLaunchKernel", "cuda_runtime", call, length, 1, f'"correlation":{correlation}'))
            inner.append(span(chance.choice(KERNELS), "kernel", device, took, 7,
                              f'"correlation":{correlation},"device":0,"stream":7,"grid":[{rows},1,1],"block":[256,1,1],'
                              '"registers per thread":32,"shared memory":0'))
            device += took
            correlation += 2
            now = call + length + 2 + chance.expovariate(0.3)
        yield span(chance.choice(MODULES), "python_function", frame, now - frame - 0.1, 1, f'"Python id":{layer + 1}')
        yield from inner


def main():
    path, count = sys.argv[1], int(sys.argv[2])
    with open(path, "w", encoding="utf-8") as out:
        out.write('{"schemaVersion":1,"deviceProperties":[{"id":0,"name":"NVIDIA H200","computeMajor":9,'
                  '"computeMinor":0,"numSms":132,"warpSize":32}],"traceEvents":[\n')
        first = True
        for event in events(count):
            out.write(("" if first else ",\n") + event)
            first = False
        out.write("\n]}\n")


if __name__ == "__main__":
    main()
