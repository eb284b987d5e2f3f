using System.Runtime.InteropServices;
using Microsoft.Extensions.Caching.Memory;

namespace Bookstore;

/// <summary>The routes for those who look after the service.</summary>
public static class Diagnostics
{
    public static void MapDiagnostics(this WebApplication app)
    {
        app.MapGet("/health", () => new { status = "ok" });
        app.MapGet("/metrics", (Metrics metrics, MemoryCache cache) =>
            Results.Text(metrics.Write(cache), "text/plain; version=0.0.4; charset=utf-8"));
        app.MapGet("/diag/cache", CacheFigures);
        app.MapGet("/diag/rules", RuleFigures);
        app.MapGet("/diag/runtime", RuntimeFigures);
    }

    /// <summary>The size is null: a cache without a size limit does not track it.</summary>
    private static object CacheFigures(MemoryCache cache)
    {
        var s = cache.GetCurrentStatistics()!;
        return new
        {
            currentEntryCount = s.CurrentEntryCount,
            currentEstimatedSize = s.CurrentEstimatedSize,
            totalMisses = s.TotalMisses,
            totalHits = s.TotalHits,
        };
    }

    /// <summary>Number, length and FNV-1a hash of the rules' text, to compare two editions by.</summary>
    private static object RuleFigures(RuleBook rules)
    {
        ulong hash = 0xcbf29ce484222325;
        foreach (byte b in rules.Text)
            hash = (hash ^ b) * 0x100000001b3;
        return new { count = rules.Count, bytes = rules.Text.Length, fnv1a = $"{hash:x16}" };
    }

    /// <summary>What the service runs on and sees of its limits.</summary>
    private static object RuntimeFigures(RuleBook rules) => new
    {
        edition = "dotnet",
        runtime = RuntimeInformation.FrameworkDescription,
        processorCount = Environment.ProcessorCount,
        heapLimitBytes = GC.GetGCMemoryInfo().TotalAvailableMemoryBytes,
        workers = (int?)null,
        rules = rules.Count,
    };
}
