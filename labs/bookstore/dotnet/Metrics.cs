using System.Diagnostics;
using System.Diagnostics.Metrics;
using System.Globalization;
using System.Text;
using Microsoft.Extensions.Caching.Memory;

namespace Bookstore;

/// <summary>
/// Request durations as ASP.NET Core itself measures them, with figures of the process, the runtime
/// and the cache, in the Prometheus text format 0.0.4. Names and labels are OpenTelemetry's, as
/// Prometheus spells them, except where its linter objects (no name may end in _count).
/// </summary>
public sealed class Metrics : IDisposable
{
    private const string Duration = "http_server_request_duration_seconds";

    private static readonly double[] Bounds = MakeBounds();

    private readonly Lock _lock = new();
    private readonly Dictionary<string, Series> _series = [];
    private readonly MeterListener _listener = new();

    public Metrics()
    {
        _listener.InstrumentPublished = (instrument, listener) =>
        {
            if (instrument is { Meter.Name: "Microsoft.AspNetCore.Hosting", Name: "http.server.request.duration" })
                listener.EnableMeasurementEvents(instrument);
        };
        _listener.SetMeasurementEventCallback<double>((_, seconds, tags, _) => Observe(seconds, tags));
        _listener.Start();
    }

    public void Dispose() => _listener.Dispose();

    public string Write(MemoryCache cache)
    {
        var text = new StringBuilder();
        WriteRequests(text);
        WriteProcess(text);
        WriteRuntime(text);
        WriteCache(text, cache);
        return text.ToString();
    }

    /// <summary>13 round numbers a decade from 100 µs to 10 s, in steps of 14 to 25 per cent.</summary>
    private static double[] MakeBounds()
    {
        int[] steps = [100, 125, 150, 175, 200, 250, 300, 350, 400, 500, 600, 700, 800];
        double[] scales = [1e6, 1e5, 1e4, 1e3, 1e2];
        return [.. from scale in scales from step in steps select step / scale, 10];
    }

    private void Observe(double seconds, ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        string method = "", status = "", route = "";
        foreach (var (key, value) in tags)
        {
            switch (key)
            {
                case "http.request.method":
                    method = $"{value}";
                    break;
                case "http.response.status_code":
                    status = $"{value}";
                    break;
                case "http.route":
                    route = $"{value}";
                    break;
            }
        }

        string labels =
            $"http_request_method=\"{method}\",http_response_status_code=\"{status}\",http_route=\"{route}\"";
        int bucket = Array.BinarySearch(Bounds, seconds);
        lock (_lock)
        {
            if (!_series.TryGetValue(labels, out var series))
                _series[labels] = series = new Series();
            series.Buckets[bucket < 0 ? ~bucket : bucket]++;
            series.Count++;
            series.Sum += seconds;
        }
    }

    private void WriteRequests(StringBuilder text)
    {
        Head(text, Duration, "histogram",
            "Time from a request's head to the end of its answer, as the server sees it.");
        lock (_lock)
        {
            foreach (var (labels, series) in _series)
            {
                long sum = 0;
                for (int i = 0; i < Bounds.Length; i++)
                {
                    sum += series.Buckets[i];
                    Sample(text, $"{Duration}_bucket{{{labels},le=\"{Number(Bounds[i])}\"}}", sum);
                }
                Sample(text, $"{Duration}_bucket{{{labels},le=\"+Inf\"}}", series.Count);
                Sample(text, $"{Duration}_sum{{{labels}}}", series.Sum);
                Sample(text, $"{Duration}_count{{{labels}}}", series.Count);
            }
        }
    }

    private static void WriteProcess(StringBuilder text)
    {
        using var process = Process.GetCurrentProcess();
        Counter(text, "process_cpu_seconds_total", "CPU time, user and system.",
            Environment.CpuUsage.TotalTime.TotalSeconds);
        Gauge(text, "process_resident_memory_bytes", "Memory in RAM.", process.WorkingSet64);
        Gauge(text, "process_virtual_memory_bytes", "Address space.", process.VirtualMemorySize64);
        Gauge(text, "process_threads", "Threads.", process.Threads.Count);
        Gauge(text, "process_start_time_seconds", "Start, in seconds since 1970.",
            (process.StartTime.ToUniversalTime() - DateTime.UnixEpoch).TotalSeconds);
    }

    private static void WriteRuntime(StringBuilder text)
    {
        string[] generations = ["gen0", "gen1", "gen2", "loh", "poh"];
        var info = GC.GetGCMemoryInfo();

        Head(text, "dotnet_gc_collections_total", "counter", "Collections, by generation.");
        for (int i = 0; i <= GC.MaxGeneration; i++)
        {
            // The runtime counts a collection for every generation it takes in.
            int younger = i < GC.MaxGeneration ? GC.CollectionCount(i + 1) : 0;
            Sample(text, $"dotnet_gc_collections_total{{gc_heap_generation=\"{generations[i]}\"}}",
                GC.CollectionCount(i) - younger);
        }
        Counter(text, "dotnet_gc_pause_time_seconds_total", "Time paused for collections.",
            GC.GetTotalPauseDuration().TotalSeconds);
        Counter(text, "dotnet_gc_heap_total_allocated_bytes_total", "Bytes allocated since the start.",
            GC.GetTotalAllocatedBytes());

        Head(text, "dotnet_gc_last_collection_heap_size_bytes", "gauge",
            "Heap after the last collection, by generation.");
        for (int i = 0; i < info.GenerationInfo.Length && i < generations.Length; i++)
        {
            Sample(text,
                $"dotnet_gc_last_collection_heap_size_bytes{{gc_heap_generation=\"{generations[i]}\"}}",
                info.GenerationInfo[i].SizeAfterBytes);
        }
        Gauge(text, "dotnet_gc_last_collection_memory_committed_size_bytes",
            "Memory committed by the heap at the last collection.", info.TotalCommittedBytes);
        Gauge(text, "dotnet_thread_pool_threads", "Threads of the pool.", ThreadPool.ThreadCount);
        Gauge(text, "dotnet_thread_pool_queue_length", "Work items that wait for a thread.",
            ThreadPool.PendingWorkItemCount);
    }

    private static void WriteCache(StringBuilder text, MemoryCache cache)
    {
        var s = cache.GetCurrentStatistics()!;
        Gauge(text, "bookstore_cache_entries", "Quotes in the cache.", s.CurrentEntryCount);
        Counter(text, "bookstore_cache_hits_total", "Lookups that found a quote.", s.TotalHits);
        Counter(text, "bookstore_cache_misses_total", "Lookups that found none.", s.TotalMisses);
    }

    private static void Counter(StringBuilder text, string name, string help, double value)
    {
        Head(text, name, "counter", help);
        Sample(text, name, value);
    }

    private static void Gauge(StringBuilder text, string name, string help, double value)
    {
        Head(text, name, "gauge", help);
        Sample(text, name, value);
    }

    private static void Head(StringBuilder text, string name, string type, string help) =>
        text.Append($"# HELP {name} {help}\n# TYPE {name} {type}\n");

    private static void Sample(StringBuilder text, string series, double value) =>
        text.Append($"{series} {Number(value)}\n");

    private static string Number(double value) => value.ToString("R", CultureInfo.InvariantCulture);

    private sealed class Series
    {
        public long[] Buckets { get; } = new long[Bounds.Length + 1];
        public long Count { get; set; }
        public double Sum { get; set; }
    }
}
