// What its first line counts is seen only by who is there from the start. Then it tells its pid,
// version and architecture, and waits; with an argument for so many milliseconds, and exits with 7.
using System;
using System.Diagnostics.Metrics;
using System.Diagnostics.Tracing;
using System.Runtime.InteropServices;
using System.Threading;

First.Log.Line(42);
new Meter("Assay.Start").CreateCounter<long>("begun").Add(3);

Console.WriteLine($"{Environment.ProcessId} {Environment.Version} " +
	RuntimeInformation.ProcessArchitecture.ToString().ToLowerInvariant());
if (args.Length > 0 && int.TryParse(args[0], out int ms)) {
	Thread.Sleep(ms);
	return 7;
}
Thread.Sleep(Timeout.Infinite);
return 0;

[EventSource(Name = "Assay-First")]
sealed class First : EventSource
{
	public static readonly First Log = new();

	[Event(1)]
	public void Line(int number) => WriteEvent(1, number);
}
