namespace Bookstore;

/// <summary>The coupon codes on sale: ten words with five numbers each, SPRING-05 to CLASSIC-25.</summary>
public static class Coupons
{
    public static readonly string[] Words =
    [
        "SPRING", "SUMMER", "AUTUMN", "WINTER", "READER",
        "STUDENT", "FAMILY", "HOLIDAY", "WELCOME", "CLASSIC",
    ];

    public const int Numbers = 5;

    private static readonly HashSet<string> Codes =
    [
        .. from word in Enumerable.Range(0, Words.Length)
           from number in Enumerable.Range(0, Numbers)
           select Code(word, number),
    ];

    public static string Code(int word, int number) => $"{Words[word]}-{5 + 5 * number:00}";

    public static bool OnSale(string code) => Codes.Contains(code);
}
