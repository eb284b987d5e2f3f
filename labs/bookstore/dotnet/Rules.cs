using System.Text;
using System.Text.Json;

namespace Bookstore;

public enum DiscountKind
{
    Percent,
    Amount,
    MultiBuy,
}

/// <summary>
/// One campaign rule. It has more than four constructor parameters, so the serializer gathers them in
/// an array of objects, numbers boxed, before it calls the constructor: much of what the slow route
/// allocates.
/// </summary>
/// <param name="Value">Per cent, cents a copy, or free copies in every <paramref name="Min"/>.</param>
/// <param name="Coupon">The coupon that the rule asks for; null asks for none.</param>
public sealed record CampaignRule(
    DiscountKind Kind, string Category, int Min, int Value, string? Coupon = null);

/// <summary>The campaign rules: written once as JSON text, parsed from it once or on every request.</summary>
public sealed class RuleBook
{
    public const int MinCount = 500;
    public const int MaxCount = 4000;
    public const int DefaultCount = 2000;

    private const ulong Seed = 1902;

    public RuleBook(int count)
    {
        Count = count;
        Text = Encoding.UTF8.GetBytes(Write(count));
        Shared = Parse(Json.Shared);
    }

    public int Count { get; }

    /// <summary>What a configuration store would hand to the service.</summary>
    public byte[] Text { get; }

    /// <summary>Parsed once: what the fixed route uses.</summary>
    public CampaignRule[] Shared { get; }

    public CampaignRule[] Parse(JsonSerializerOptions options) =>
        JsonSerializer.Deserialize<CampaignRule[]>(Text, options)
        ?? throw new JsonException("the rules are null");

    private static string Write(int count)
    {
        var rng = new Rng(Seed);
        return $"[{string.Join(',', Enumerable.Range(0, count).Select(_ => WriteRule(rng)))}]";
    }

    /// <summary>All is drawn for every rule, needed or not, and always in this order.</summary>
    private static string WriteRule(Rng rng)
    {
        var kind = (DiscountKind)rng.Below(3);
        int category = rng.Below(Catalog.Categories.Length + 1);
        bool needsCoupon = rng.Below(4) == 0;
        string coupon = Coupons.Code(rng.Below(Coupons.Words.Length), rng.Below(Coupons.Numbers));
        int min = 1 + rng.Below(5) + (kind == DiscountKind.MultiBuy ? 4 : 0);
        int value = kind switch
        {
            DiscountKind.Percent => 1 + rng.Below(4 * min) + (needsCoupon ? 5 : 0),
            DiscountKind.Amount => 10 + 10 * rng.Below(10 * min) + (needsCoupon ? 100 : 0),
            _ => 1 + rng.Below(2) + (needsCoupon ? 1 : 0),
        };

        string name = category < Catalog.Categories.Length
            ? Catalog.Categories[category] : Catalog.AnyCategory;
        string couponMember = needsCoupon ? $"\"coupon\":\"{coupon}\"," : "";
        return $"{{\"kind\":\"{kind}\",\"category\":\"{name}\",{couponMember}"
            + $"\"min\":{min},\"value\":{value}}}";
    }
}
