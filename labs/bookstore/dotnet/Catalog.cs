namespace Bookstore;

/// <summary>
/// splitmix64: integers only, so that every edition makes the same catalogue and rules from the same
/// seed.
/// </summary>
public sealed class Rng(ulong seed)
{
    private ulong _state = seed;

    /// <summary>0 to n - 1, by plain remainder.</summary>
    public int Below(int n) => (int)(Next() % (ulong)n);

    private ulong Next()
    {
        ulong z = _state += 0x9E3779B97F4A7C15;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
        return z ^ (z >> 31);
    }
}

public sealed record Book(string Category, int PriceCents);

/// <summary>The books on sale, made from a fixed seed.</summary>
public sealed class Catalog
{
    public const int Books = 500;

    /// <summary>A rule's category that matches every book.</summary>
    public const string AnyCategory = "any";

    private const ulong Seed = 1848;

    public static readonly string[] Categories =
        ["fiction", "history", "science", "travel", "cooking", "children", "comics", "poetry"];

    private readonly Book[] _books = new Book[Books];

    public Catalog()
    {
        var rng = new Rng(Seed);
        for (int i = 0; i < Books; i++)
        {
            string category = Categories[rng.Below(Categories.Length)];
            _books[i] = new Book(category, 299 + 50 * rng.Below(120));
        }
    }

    /// <param name="id">From 1 to <see cref="Books"/>.</param>
    public Book this[int id] => _books[id - 1];
}
