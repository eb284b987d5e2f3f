// Figures that are known by construction, for tests of whoever reads them from outside. Nothing
// changes by itself: each line on standard input does one thing once, and is answered with "done".
//
//     go      counters +7 and +5, the histogram gets 1 to 100, the EventCounter 10, 20 and 30
//     many    1,200 series of one counter
//     work    50 times 100 kB hashed, and the counter and the histogram: some milliseconds of CPU
//     throw   observing one gauge fails from now on
//
// The end of the input is the end of the program.
using System.Diagnostics.Metrics;
using System.Diagnostics.Tracing;

var meter = new Meter("Assay.Lab", "1.2.3", [new KeyValuePair<string, object?>("area", "truth")]);
var orders = meter.CreateCounter<long>("lab.orders", "{order}", "Orders taken");
var inside = meter.CreateUpDownCounter<int>("lab.inside", "{request}", "Requests inside");
var latency = meter.CreateHistogram<double>("lab.latency", "ms", "Answers", [new KeyValuePair<string, object?>("part", "server")]);
var odd = meter.CreateCounter<double>("lab.odd");
long watched = 1000;
meter.CreateObservableCounter("lab.watched", () => watched, "s", "Total from elsewhere");
meter.CreateObservableGauge("lab.level", () => 42.5, "By");
meter.CreateObservableUpDownCounter("lab.queue", () => 3);
#if NET9_0_OR_GREATER
var gauge = meter.CreateGauge<int>("lab.gauge", "Cel");
#endif
var plain = new Meter("Assay.Plain").CreateCounter<int>("plain.calls", "{call}");
var many = new Meter("Assay.Many").CreateCounter<int>("many.series");
var throws = new Meter("Assay.Throws");
var events = new LabEvents();

int Broken() => throw new InvalidOperationException("broken on purpose");
Console.WriteLine($"ready {Environment.ProcessId} {Environment.Version}");
while (Console.ReadLine() is { } line)
{
    switch (line)
    {
        case "go":
            orders.Add(7, new KeyValuePair<string, object?>("kind", "a"));
            orders.Add(5, new KeyValuePair<string, object?>("kind", "b"), new("region", "eu,west=1"));
            odd.Add(0.5, new KeyValuePair<string, object?>("größe", "\"1\" \\ <€> 🎈"));
            inside.Add(4);
            inside.Add(-1);
            for (int i = 1; i <= 100; i++)
                latency.Record(i, new KeyValuePair<string, object?>("route", "/x"));
            watched += 10;
#if NET9_0_OR_GREATER
            gauge.Record(21);
#endif
            plain.Add(1);
            events.Go();
            break;
        case "many":
            for (int i = 0; i < 1200; i++)
                many.Add(1, new KeyValuePair<string, object?>("i", i));
            break;
        case "work":
            plain.Add(1);
            for (int i = 0; i < 50; i++)
            {
                System.Security.Cryptography.SHA256.HashData(new byte[100_000]);
                orders.Add(1, new KeyValuePair<string, object?>("kind", "a"));
                latency.Record(i, new KeyValuePair<string, object?>("route", "/x"));
            }
            events.Go();
            break;
        case "throw":
            throws.CreateObservableGauge("lab.broken", Broken);
            break;
    }
    Console.WriteLine("done " + line);
}

[EventSource(Name = "Assay-Events")]
sealed class LabEvents : EventSource
{
    readonly EventCounter value;
    readonly IncrementingEventCounter served;
    readonly PollingCounter vault;
    readonly IncrementingPollingCounter polled;
    long polls = 100;

    public LabEvents()
    {
        value = new("order-value", this) { DisplayName = "Order Value", DisplayUnits = "EUR" };
        served = new("served", this) { DisplayName = "Served", DisplayRateTimeScale = TimeSpan.FromSeconds(1) };
        vault = new("vault", this, () => 640) { DisplayName = "Vault Size" };
        polled = new("polled", this, () => Volatile.Read(ref polls)) { DisplayName = "Polled" };
    }

    [NonEvent]
    public void Go()
    {
        value.WriteMetric(10);
        value.WriteMetric(20);
        value.WriteMetric(30);
        served.Increment(3);
        Interlocked.Add(ref polls, 6);
    }

    [Event(1, Level = EventLevel.Informational)]
    public void Said(string text, int number) => WriteEvent(1, text, number);
}
