using Bookstore;
using Microsoft.Extensions.Caching.Memory;

if (!ServiceOptions.TryParse(args, out var options))
    return 2;

var builder = WebApplication.CreateSlimBuilder();
builder.WebHost.UseUrls($"http://{options.Host}:{options.Port}");
builder.WebHost.ConfigureKestrel(kestrel => kestrel.Limits.MaxRequestBodySize = Refusal.MaxBodyBytes);
// Standard output is for the line that tells the port.
builder.Logging.ClearProviders()
    .AddConsole(console => console.LogToStandardErrorThreshold = LogLevel.Trace)
    .SetMinimumLevel(LogLevel.Error);

var cache = new MemoryCache(new MemoryCacheOptions { TrackStatistics = true });
builder.Services.AddSingleton(cache).AddSingleton<IMemoryCache>(cache)
    .AddSingleton(new RuleBook(options.Rules))
    .AddSingleton<Catalog>()
    .AddSingleton<Pricing>()
    .AddSingleton<Checkout>()
    .AddSingleton<Metrics>();

var app = builder.Build();
app.Services.GetRequiredService<Metrics>();

app.UseExceptionHandler(handler => handler.Run(context =>
    context.Response.WriteAsJsonAsync(Refusal.Of(500), Refusal.Options)));
app.UseStatusCodePages(pages => pages.HttpContext.Response.WriteAsJsonAsync(
    Refusal.Of(pages.HttpContext.Response.StatusCode), Refusal.Options));

app.MapPost("/api/checkout",
    (HttpRequest request, string? fix, Checkout checkout) => checkout.Slow(request, fix));
app.MapPost("/api/checkout-v2", (HttpRequest request, Checkout checkout) => checkout.Fixed(request));
app.MapDiagnostics();

try
{
    await app.StartAsync();
}
catch (IOException e)
{
    Console.Error.WriteLine($"bookstore: cannot listen on {options.Host}:{options.Port}: {e.Message}; try --port 0");
    return 1;
}
Console.WriteLine($"listening on {app.Urls.First()}");
await app.WaitForShutdownAsync();
return 0;
