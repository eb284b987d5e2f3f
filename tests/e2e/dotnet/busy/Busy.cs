// One thread that computes, one that sleeps, and a fixed number of large arrays and exceptions; it ends
// after as many milliseconds as its argument says, or never.
using System;
using System.Diagnostics.Tracing;
using System.Threading;
using System.Threading.Tasks;

static class Busy
{
	static volatile bool over;
	public static long Sum;

	static long Burn()
	{
		long sum = 0;

		while (!over)
			for (int i = 0; i < 1000; i++)
				sum = sum * 31 + i;
		return sum;
	}

	static void Rest()
	{
		while (!over)
			Thread.Sleep(50);
	}

	static async Task WorkAsync()
	{
		for (int i = 0; !over; i++) {
			await Task.Delay(20);
			GC.KeepAlive(new byte[100_000]);
			try {
				throw new InvalidOperationException($"number {i}");
			} catch (InvalidOperationException) {
			}
			if (i == 50)
				Signal.Log.Half(i);
		}
	}

	static void Main(string[] args)
	{
		new Thread(() => Sum = Burn()) { IsBackground = true }.Start();
		new Thread(Rest) { IsBackground = true }.Start();
		_ = WorkAsync();
		Console.WriteLine(Environment.ProcessId);
		Thread.Sleep(args.Length > 0 ? int.Parse(args[0]) : Timeout.Infinite);
		over = true;
	}
}

[EventSource(Name = "Assay-Busy")]
sealed class Signal : EventSource
{
	public static readonly Signal Log = new();

	[Event(1)]
	public void Half(int number) => WriteEvent(1, number);
}
