using System.Text.Json;
using Microsoft.Extensions.Caching.Memory;

namespace Bookstore;

/// <summary>The suspects of the slow checkout that a request asks to have removed.</summary>
[Flags]
public enum Fixes
{
    None = 0,
    Options = 1,
    Rules = 2,
    Cache = 4,
    All = Options | Rules | Cache,
}

/// <summary>
/// The two routes that price a cart. The faults of this service are here, on purpose:
/// <list type="bullet">
/// <item>options: new serializer options, and with them new metadata, for every request</item>
/// <item>rules: the campaign rules are parsed from their JSON text for every request</item>
/// <item>cache: every quote is kept under its whole cart, and carts do not come twice</item>
/// </list>
/// README.md says what each is worth. The fixed route runs the same code with all three removed.
/// </summary>
public sealed class Checkout(RuleBook rules, Pricing pricing, IMemoryCache cache)
{
    private static readonly TimeSpan Expiry = TimeSpan.FromMinutes(30);

    /// <summary>POST /api/checkout?fix=options,rules,cache, any of the three.</summary>
    public Task<IResult> Slow(HttpRequest request, string? fix) =>
        ParseFixes(fix) is { } fixes
            ? Answer(request, fixes)
            : Task.FromResult(Refusal.Result(400, "fix names something that cannot be fixed",
                "use options, rules, cache, or several with commas between"));

    /// <summary>POST /api/checkout-v2.</summary>
    public Task<IResult> Fixed(HttpRequest request) => Answer(request, Fixes.All);

    private async Task<IResult> Answer(HttpRequest request, Fixes fixes)
    {
        var options = fixes.HasFlag(Fixes.Options) ? Json.Shared : Json.Create();
        Cart? cart;
        try
        {
            cart = await JsonSerializer.DeserializeAsync<Cart>(
                request.Body, options, request.HttpContext.RequestAborted);
        }
        catch (BadHttpRequestException e)
        {
            return Refusal.Result(e.StatusCode);
        }
        catch (JsonException e)
        {
            return Refusal.Result(400, $"the body is not the JSON of a cart: {e.Message}", Cart.Hint);
        }

        string? fault = cart is null ? "the body must be a JSON object" : cart.Fault();
        if (fault is not null)
            return Refusal.Result(400, fault, Cart.Hint);

        var quote = fixes.HasFlag(Fixes.Cache)
            ? Price(cart!, fixes, options)
            : CachedPrice(cart!, fixes, options);
        return Results.Json(quote, options);
    }

    private Quote CachedPrice(Cart cart, Fixes fixes, JsonSerializerOptions options)
    {
        string key = cart.Key;
        if (cache.TryGetValue(key, out Quote? known) && known is not null)
            return known;

        var quote = Price(cart, fixes, options);
        return cache.Set(key, quote, new MemoryCacheEntryOptions { SlidingExpiration = Expiry });
    }

    private Quote Price(Cart cart, Fixes fixes, JsonSerializerOptions options) =>
        pricing.Price(cart, fixes.HasFlag(Fixes.Rules) ? rules.Shared : rules.Parse(options));

    /// <summary>"options,cache" to a set of fixes; null when a name is none of the three.</summary>
    private static Fixes? ParseFixes(string? list)
    {
        var fixes = Fixes.None;
        foreach (string name in list?.Split(',') ?? [])
        {
            Fixes? fix = name switch
            {
                "options" => Fixes.Options,
                "rules" => Fixes.Rules,
                "cache" => Fixes.Cache,
                _ => null,
            };
            if (fix is null)
                return null;
            fixes |= fix.Value;
        }
        return fixes;
    }
}
