#include "report/emit/csv_timeline.h"

#include <string>

#include "report/emit/csv_line.h"

namespace opscope {

namespace {

// One table: its header, and a line for each row.
template <class Rows, class Cells>
void Table(Sink& sink, std::string_view name, std::string_view columns, const Rows& rows,
           Cells cells) {
  if (rows.empty()) return;
  sink.Append("\r\ntable,");
  sink.Append(columns);
  sink.Append("\r\n");
  CsvLine line(sink);
  for (const auto& row : rows) {
    line.Text(name);
    cells(row, line);
    line.End();
  }
}

void Devices(const doc::Timeline& timeline, Sink& sink) {
  Table(sink, "devices",
        "device,name,busy_ns,idle_ns,span_ns,compute_ns,communication_ns,copy_ns,memset_ns,exposed_"
        "communication_ns,exposed_copy_ns,kernels,work,orphans,utilisation,sm_efficiency,occupancy,"
        "queue_max",
        timeline.devices, [](const doc::DeviceTime& row, CsvLine& line) {
          line.Integer(row.device);
          line.Maybe(row.name);
          line.Integer(row.busy_ns);
          line.Integer(row.idle_ns);
          line.Integer(row.span_ns);
          line.Integer(row.compute_ns);
          line.Integer(row.communication_ns);
          line.Integer(row.copy_ns);
          line.Integer(row.memset_ns);
          line.Integer(row.exposed_communication_ns);
          line.Integer(row.exposed_copy_ns);
          line.Integer(row.kernels);
          line.Integer(row.work);
          line.Integer(row.orphans);
          line.Real(row.utilisation);
          line.Real(row.sm_efficiency);
          line.Real(row.occupancy);
          line.Integer(row.queue_max);
        });
}

void Threads(const doc::Timeline& timeline, Sink& sink) {
  Table(sink, "threads", "pid,tid,name,busy_ns,span_ns,events", timeline.threads,
        [](const doc::ThreadTime& row, CsvLine& line) {
          line.Integer(row.pid);
          line.Integer(row.tid);
          line.Maybe(row.name);
          line.Integer(row.busy_ns);
          line.Integer(row.span_ns);
          line.Integer(row.events);
        });
}

void Steps(const doc::Timeline& timeline, Sink& sink) {
  Table(sink, "steps",
        "name,begin_ns,ns,kernel_ns,copy_ns,memset_ns,communication_ns,runtime_ns,dataloader_ns,"
        "cpu_ns,other_ns,host_ns,device_ns,cpu_gpu_ratio",
        timeline.steps, [](const doc::StepTime& row, CsvLine& line) {
          line.Text(row.name);
          line.Integer(row.begin_ns);
          line.Integer(row.ns);
          line.Integer(row.kernel_ns);
          line.Integer(row.copy_ns);
          line.Integer(row.memset_ns);
          line.Integer(row.communication_ns);
          line.Integer(row.runtime_ns);
          line.Integer(row.dataloader_ns);
          line.Integer(row.cpu_ns);
          line.Integer(row.other_ns);
          line.Integer(row.host_ns);
          line.Integer(row.device_ns);
          line.Real(row.cpu_gpu_ratio);
        });
}

void GapSums(const doc::Timeline& timeline, Sink& sink) {
  Table(sink, "gap_sums", "kind,count,ns", timeline.gap_sums,
        [](const doc::GapSum& row, CsvLine& line) {
          line.Text(row.kind);
          line.Integer(row.count);
          line.Integer(row.ns);
        });
}

void Gaps(const doc::Timeline& timeline, Sink& sink) {
  Table(sink, "gaps", "device,begin_ns,ns,kind,before,after", timeline.gaps,
        [](const doc::GapTime& row, CsvLine& line) {
          line.Integer(row.device);
          line.Integer(row.begin_ns);
          line.Integer(row.ns);
          line.Text(row.kind);
          line.Maybe(row.before);
          line.Maybe(row.after);
        });
}

void Copies(const doc::Timeline& timeline, Sink& sink) {
  Table(sink, "copies", "kind,memory,count,bytes,ns,gbytes_per_s", timeline.copies,
        [](const doc::CopyTime& row, CsvLine& line) {
          line.Text(row.kind);
          line.Text(row.memory);
          line.Integer(row.count);
          line.Integer(row.bytes);
          line.Integer(row.ns);
          line.Real(row.gbytes_per_s);
        });
}

void RepeatedUploads(const doc::Timeline& timeline, Sink& sink) {
  Table(sink, "repeated_uploads", "device,op,bytes,count,ns", timeline.repeated_uploads,
        [](const doc::RepeatedUpload& row, CsvLine& line) {
          line.Integer(row.device);
          line.Maybe(row.op);
          line.Integer(row.bytes);
          line.Integer(row.count);
          line.Integer(row.ns);
        });
}

void Kernels(const doc::Timeline& timeline, Sink& sink) {
  Table(sink, "kernels", "device,name,calls,ns,min_ns,max_ns,op,occupancy", timeline.kernels,
        [](const doc::KernelTime& row, CsvLine& line) {
          line.Integer(row.device);
          line.Text(row.name);
          line.Integer(row.calls);
          line.Integer(row.ns);
          line.Integer(row.min_ns);
          line.Integer(row.max_ns);
          line.Maybe(row.op);
          line.Real(row.occupancy);
        });
}

void Ranges(const doc::Timeline& timeline, Sink& sink) {
  Table(sink, "ranges", "name,calls,ns,device_ns,kernels", timeline.ranges,
        [](const doc::RangeTime& row, CsvLine& line) {
          line.Maybe(row.name);
          line.Integer(row.calls);
          line.Integer(row.ns);
          line.Integer(row.device_ns);
          line.Integer(row.kernels);
        });
}

void Ops(const doc::Timeline& timeline, Sink& sink) {
  Table(sink, "ops",
        "name,calls,self_cpu_ns,cpu_ns,self_device_ns,device_ns,self_cpu_bytes,cpu_bytes,self_"
        "device_bytes,device_bytes",
        timeline.ops, [](const doc::OpTime& row, CsvLine& line) {
          line.Text(row.name);
          line.Integer(row.calls);
          line.Integer(row.self_cpu_ns);
          line.Integer(row.cpu_ns);
          line.Integer(row.self_device_ns);
          line.Integer(row.device_ns);
          line.Integer(row.self_cpu_bytes);
          line.Integer(row.cpu_bytes);
          line.Integer(row.self_device_bytes);
          line.Integer(row.device_bytes);
        });
}

void OpShapes(const doc::Timeline& timeline, Sink& sink) {
  Table(sink, "op_shapes", "name,inputs,outputs,calls,self_cpu_ns,cpu_ns,self_device_ns,device_ns",
        timeline.op_shapes, [](const doc::OpTime& row, CsvLine& line) {
          line.Text(row.name);
          line.Maybe(row.inputs);
          line.Maybe(row.outputs);
          line.Integer(row.calls);
          line.Integer(row.self_cpu_ns);
          line.Integer(row.cpu_ns);
          line.Integer(row.self_device_ns);
          line.Integer(row.device_ns);
        });
}

void Ranks(const doc::Timeline& timeline, Sink& sink) {
  Table(sink, "ranks", "rank,file,busy_ns,wait_ns,collectives,begin_ns", timeline.ranks,
        [](const doc::RankTime& row, CsvLine& line) {
          line.Integer(row.rank);
          line.Text(row.file);
          line.Integer(row.busy_ns);
          line.Integer(row.wait_ns);
          line.Integer(row.collectives);
          line.Integer(row.begin_ns);
        });
}

void Memory(const doc::RunMemory& memory, Sink& sink) {
  Table(sink, "memory", "category,peak_bytes,at_peak_bytes", memory.categories,
        [](const doc::MemoryCategory& row, CsvLine& line) {
          line.Text(row.name);
          line.Integer(row.peak_bytes);
          line.Integer(row.at_peak_bytes);
        });
}

}  // namespace

void TimelineCsv(const doc::Run& run, Sink& sink) {
  if (!run.timeline) return;
  for (const auto table : {Devices, Threads, Steps, GapSums, Gaps, Copies, RepeatedUploads, Kernels,
                           Ranges, Ops, OpShapes, Ranks})
    table(*run.timeline, sink);
  if (run.memory) Memory(*run.memory, sink);
}

}  // namespace opscope
